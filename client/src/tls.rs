//! TLS: rustls with `ring`, trusting what the system trusts.

use std::sync::Arc;

use bytes::Bytes;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::config::ConfigFault;

/// The provider is this configuration's own: nothing is installed for the process.
pub(crate) fn configuration(extra_roots: &[Bytes]) -> Result<ClientConfig, ConfigFault> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = trusting(&provider, extra_roots)?;
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

fn trusting(
    provider: &Arc<CryptoProvider>,
    extra_roots: &[Bytes],
) -> Result<ClientConfig, ConfigFault> {
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|_| ConfigFault::SetupFailed)?;
    let extra: Vec<_> = extra_roots.iter().map(|der| CertificateDer::from(der.to_vec())).collect();
    if let Some(verifier) = system_verifier(provider, &extra)? {
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        return Ok(builder.with_no_client_auth());
    }
    // Small containers have no certificates at all; the public ones are built in for them.
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for root in extra {
        roots.add(root).map_err(|_| ConfigFault::RootInvalid)?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// `None` if the system has no certificates.
fn system_verifier(
    provider: &Arc<CryptoProvider>,
    extra: &[CertificateDer<'static>],
) -> Result<Option<Arc<dyn ServerCertVerifier>>, ConfigFault> {
    let Ok(verifier) = Verifier::new(provider.clone()) else { return Ok(None) };
    if extra.is_empty() {
        return Ok(Some(Arc::new(verifier)));
    }
    let verifier = Verifier::new_with_extra_roots(extra.to_vec(), provider.clone())
        .map_err(|_| ConfigFault::RootInvalid)?;
    Ok(Some(Arc::new(verifier)))
}
