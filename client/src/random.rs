//! The only randomness of the client: keys of requests, and the luck of waits.

use crate::error::ClientError;

/// A key that no other request has, also after a fork: the system's randomness makes it.
pub(crate) fn idempotency_key() -> Result<String, ClientError> {
    let [high, low] = [random()?, random()?];
    Ok(format!("swingbridge-{high:016x}{low:016x}"))
}

/// From 0 to 1.
pub(crate) fn luck() -> Result<f64, ClientError> {
    #[expect(clippy::cast_possible_truncation, reason = "any 32 bits will do")]
    let bits = random()? as u32;
    Ok(f64::from(bits) / f64::from(u32::MAX))
}

fn random() -> Result<u64, ClientError> {
    getrandom::u64().map_err(|_| ClientError::NoRandomness)
}
