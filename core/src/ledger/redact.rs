//! Tools without their secrets, as a checkpoint keeps and compares them (L-4).

use url::Url;

use crate::json::{Json, MAX_DEPTH, Writer};
use crate::runner::AdmissionError;

/// Fields of an MCP declaration that a checkpoint does not have.
const CREDENTIALS: &[&str] = &["authorization", "headers"];
/// What a code interpreter may send to a domain; in the declaration's network policy.
const DOMAIN_SECRETS: &str = "domain_secrets";
/// What is kept of each of them.
const DOMAIN_SECRET_FIELDS: &[&str] = &["domain", "name"];
/// How deep a tool may be: a checkpoint that has it, in the list of an object, can be read by `parse`,
/// which takes one level less than [`MAX_DEPTH`].
const TOOL_DEPTH: usize = MAX_DEPTH - 3;
const MASK: &str = "***";

/// Keys of a URL's query whose values are credentials, in lower case and without `-`, `_` and `.`.
/// In ASCII order, for the search.
const CREDENTIAL_KEYS: &[&str] = &[
    "accesskey",
    "accesstoken",
    "apikey",
    "apitoken",
    "auth",
    "authkey",
    "authorization",
    "authtoken",
    "bearer",
    "bearertoken",
    "clientsecret",
    "credential",
    "credentials",
    "idtoken",
    "jwt",
    "key",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "refreshtoken",
    "secret",
    "secretkey",
    "sessiontoken",
    "sig",
    "signature",
    "subscriptionkey",
    "token",
    "xamzcredential",
    "xamzsecuritytoken",
    "xamzsignature",
    "xapikey",
    "xauthtoken",
    "xgoogcredential",
    "xgoogsignature",
];

/// The tools of a request as JSON text of a list, in the order of the tools and of their fields.
///
/// MCP declarations lose their credentials, and their server's URL becomes a fingerprint; the domain
/// secrets of a code interpreter lose everything but name and domain. What has no JSON form, or stays
/// with the host, is refused: a checkpoint could not show that it is unchanged.
pub(crate) fn redacted_tools(tools: &[Json<'_>]) -> Result<String, AdmissionError> {
    let mut out = Writer::default();
    let mut written = Ok(());
    out.list(|list| {
        for tool in tools {
            if written.is_ok() {
                list.item(|out| written = write_tool(tool, out));
            }
        }
    });
    written.map(|()| out.finish())
}

/// The tools that a response repeats, as a checkpoint keeps them; `None` for what cannot be kept, which
/// the checkpoint leaves out.
pub fn saved_tools(tools: &Json<'_>) -> Option<String> {
    redacted_tools(tools.as_list()?).ok()
}

fn write_tool(tool: &Json<'_>, out: &mut Writer) -> Result<(), AdmissionError> {
    if !tool.is_object() || !is_storable(tool, TOOL_DEPTH) {
        return Err(AdmissionError::LedgerTools);
    }
    match tool.field("type").and_then(Json::as_str) {
        Some("mcp") => write_mcp(tool, out),
        Some("code_interpreter") => write_without_secrets(tool, out),
        _ => {
            out.json(tool);
            Ok(())
        }
    }
}

/// Whether the value is JSON that `levels` levels can hold, and here as a whole.
fn is_storable(value: &Json<'_>, levels: usize) -> bool {
    match value {
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::Text(_) => true,
        Json::Float(value) => value.is_finite(),
        Json::Held(_) | Json::Foreign => false,
        Json::List(items) => levels > 0 && items.iter().all(|item| is_storable(item, levels - 1)),
        Json::Object(fields) => {
            levels > 0 && fields.iter().all(|(_, value)| is_storable(value, levels - 1))
        }
    }
}

fn write_mcp(tool: &Json<'_>, out: &mut Writer) -> Result<(), AdmissionError> {
    let Json::Object(fields) = tool else { return Err(AdmissionError::LedgerTools) };
    let mut written = Ok(());
    out.object(|object| {
        for (name, value) in fields {
            match name.as_ref() {
                name if CREDENTIALS.contains(&name) => {}
                // A connector has no URL.
                "server_url" if !value.is_null() => match value.as_str().and_then(fingerprint) {
                    Some(print) => object.field(name, |out| out.str(&print)),
                    None => written = Err(AdmissionError::McpUrl),
                },
                name => object.field(name, |out| out.json(value)),
            }
        }
    });
    written
}

/// `sha256:` and the hexadecimal digest of the URL as a browser writes it, without user, password and
/// fragment and with masked credentials in its query; `None` if it is no URL.
///
/// The user, the fragment and known keys may rotate; any other part is the server's identity.
fn fingerprint(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    // Fails where the URL has no host, and so neither user nor password.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_fragment(None);
    let pairs: Vec<(String, String)> =
        url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
    if pairs.iter().any(|(key, _)| is_credential_key(key)) {
        let masked = pairs.iter().map(|(key, value)| {
            (key.as_str(), if is_credential_key(key) { MASK } else { value.as_str() })
        });
        url.query_pairs_mut().clear().extend_pairs(masked);
    }
    let digest = hmac_sha256::Hash::hash(url.as_str().as_bytes());
    let hex = digest.iter().map(|byte| format!("{byte:02x}"));
    Some(hex.fold("sha256:".to_owned(), |text, byte| text + &byte))
}

fn is_credential_key(key: &str) -> bool {
    let plain: String = key
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | '.'))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    CREDENTIAL_KEYS.binary_search(&plain.as_str()).is_ok()
}

/// Writes the value with each list of domain secrets in it redacted, at whatever depth a container
/// form of the future may have it.
fn write_without_secrets(value: &Json<'_>, out: &mut Writer) -> Result<(), AdmissionError> {
    let mut written = Ok(());
    match value {
        Json::List(items) => out.list(|list| {
            for item in items {
                if written.is_ok() {
                    list.item(|out| written = write_without_secrets(item, out));
                }
            }
        }),
        Json::Object(fields) => out.object(|object| {
            for (name, value) in fields {
                if written.is_ok() {
                    object.field(name, |out| {
                        written = if name == DOMAIN_SECRETS && !value.is_null() {
                            write_secret_names(value, out)
                        } else {
                            write_without_secrets(value, out)
                        };
                    });
                }
            }
        }),
        value => out.json(value),
    }
    written
}

/// Writes which secrets there are. A form that is not known is refused: it could hold a value.
fn write_secret_names(secrets: &Json<'_>, out: &mut Writer) -> Result<(), AdmissionError> {
    let secrets = secrets
        .as_list()
        .filter(|secrets| secrets.iter().all(Json::is_object))
        .ok_or(AdmissionError::LedgerTools)?;
    out.list(|list| {
        for secret in secrets {
            list.item(|out| {
                out.object(|object| {
                    for name in DOMAIN_SECRET_FIELDS {
                        if let Some(value) = secret.field(name) {
                            object.field(name, |out| out.json(value));
                        }
                    }
                });
            });
        }
    });
    Ok(())
}
