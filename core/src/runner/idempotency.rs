//! The key by which a service recognises a request that is sent again (R-7).

/// The idempotency key of one step of a run whose caller gave a key. Retries of a step share a key;
/// another step has another one, or the service would answer it with the first response.
///
/// ```
/// use swingbridge_core::runner::idempotency_key;
///
/// assert_eq!(idempotency_key("order-7", 1), "order-7");
/// assert_eq!(idempotency_key("order-7", 3), "order-7-3");
/// ```
pub fn idempotency_key(given: &str, step: u64) -> String {
    if step <= 1 { given.to_owned() } else { format!("{given}-{step}") }
}
