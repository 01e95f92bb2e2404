//! Where a client's configuration comes from, and what is wrong with it (N-1).

mod support;

use support::KEY;
use swingbridge_client::{Auth, Client, ClientConfig, ClientError, ConfigFault, Given};

const ENVIRONMENT: &[(&str, &str)] = &[
    ("OPENAI_API_KEY", "sk-env"),
    ("OPENAI_BASE_URL", "http://127.0.0.1:1/env"),
    ("OPENAI_ORG_ID", "org-env"),
    ("OPENAI_PROJECT_ID", "proj-env"),
];

fn env(name: &str) -> Option<String> {
    ENVIRONMENT.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn the_environment_fills_what_is_not_given() {
    let config = ClientConfig::from_env(Given::default(), env).expect("a configuration");
    assert_eq!(config.api_key.expose(), "sk-env");
    assert_eq!(config.base_url, "http://127.0.0.1:1/env");
    assert_eq!(config.organization.as_deref(), Some("org-env"));
    assert_eq!(config.project.as_deref(), Some("proj-env"));
    assert_eq!((config.max_retries, config.auth), (2, Auth::Bearer));
}

#[test]
fn what_is_given_wins() {
    let given = Given {
        api_key: Some(KEY.into()),
        auth: Some(Auth::ApiKeyHeader),
        base_url: Some("https://example.com/openai/v1".to_owned()),
        organization: Some("org-given".to_owned()),
        project: Some("proj-given".to_owned()),
        api_version: None,
    };
    let config = ClientConfig::from_env(given, env).expect("a configuration");
    assert_eq!(config.api_key.expose(), KEY);
    assert_eq!(config.base_url, "https://example.com/openai/v1");
    assert_eq!(config.organization.as_deref(), Some("org-given"));
    assert_eq!(config.project.as_deref(), Some("proj-given"));
    assert_eq!(config.auth, Auth::ApiKeyHeader);
}

#[test]
fn an_empty_variable_is_not_set() {
    let empty = |name: &str| (name != "OPENAI_API_KEY").then(|| "  ".to_owned());
    let given = || Given { api_key: Some(KEY.into()), ..Given::default() };
    let config = ClientConfig::from_env(given(), empty).expect("a configuration");
    assert_eq!(config.base_url, "https://api.openai.com/v1");
    assert_eq!((config.organization, config.project), (None, None));
    for key in [None, Some("".into()), Some(" ".into())] {
        let given = Given { api_key: key, ..Given::default() };
        assert_eq!(ClientConfig::from_env(given, empty).err(), Some(ConfigFault::ApiKeyMissing));
    }
    let keyless = Given { auth: Some(Auth::None), ..Given::default() };
    let config = ClientConfig::from_env(keyless, |_| None).expect("no key is needed");
    assert!(Client::new(config).is_ok());
}

#[test]
fn what_cannot_work_is_refused_at_once() {
    let fault = |change: &dyn Fn(&mut ClientConfig)| {
        let mut config = ClientConfig::new(KEY);
        change(&mut config);
        Client::new(config).expect_err("a fault")
    };
    for url in [
        "",
        "api.openai.com/v1",
        "ftp://example.com",
        "http://",
        "https://a/v1#x",
        "file:///v1",
        // What the parser would take for another host than the one that is read, or for a part of it.
        "http:///v1",
        "https:a/v1",
        "https:/\\a/v1",
        "https://a\\b/v1",
        "https://a/v1\r\nx: y",
        "https://a.example\t.org/v1",
    ] {
        let found = fault(&|config| config.base_url = url.to_owned());
        assert_eq!(found, ConfigFault::BaseUrlInvalid, "{url}");
    }
    for url in ["https://user@example.com/v1", "https://:pass@example.com/v1"] {
        let found = fault(&|config| config.base_url = url.to_owned());
        assert_eq!(found, ConfigFault::BaseUrlCredentials, "{url}");
    }
    assert_eq!(fault(&|config| config.api_key = "".into()), ConfigFault::ApiKeyMissing);
    assert_eq!(fault(&|config| config.api_key = "sk\n".into()), ConfigFault::ApiKeyInvalid);
    let account = fault(&|config| config.project = Some("a\r\nb: c".to_owned()));
    assert_eq!(account, ConfigFault::AccountInvalid);
    for (name, value) in [("a b", "c"), ("a", "b\n"), ("Content-Length", "1")] {
        let header = (name.to_owned(), Some(value.to_owned()));
        let found = fault(&|config| config.default_headers = vec![header.clone()]);
        assert_eq!(found, ConfigFault::HeaderInvalid, "{name}");
    }
    let root =
        fault(&|config| config.extra_roots = vec![bytes::Bytes::from_static(b"no certificate")]);
    assert_eq!(root, ConfigFault::RootInvalid);
}

#[test]
fn every_fault_has_a_name_of_its_own() {
    let is_name = |code: &str| {
        code.split('_').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
    };
    let mut codes = [ClientError::CODES, ConfigFault::CODES].concat();
    assert!(codes.iter().all(|code| is_name(code)), "{codes:?}");
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count);
    assert!(ClientError::CODES.contains(&ClientError::Decode.code()));
}
