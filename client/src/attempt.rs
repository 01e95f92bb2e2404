//! One attempt, and what its failure means.

use std::error::Error;
use std::io;

use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::error::{ClientError, ConnectionFault, TimeoutFault};

/// Sends and waits for the head of an answer.
pub(crate) async fn send(
    http: &reqwest::Client,
    request: reqwest::Request,
    deadline: Instant,
) -> Result<Response, ClientError> {
    match timeout_at(deadline, http.execute(request)).await {
        Ok(answer) => answer.map_err(|error| fault_before(&error)),
        Err(_) => Err(ClientError::Timeout(TimeoutFault::Request)),
    }
}

/// Whether no byte of an answer came, so that another attempt may be made. A request that was
/// answered too late is not among them: the service may still be at work on it.
pub(crate) fn is_unanswered(fault: &ClientError) -> bool {
    match fault {
        ClientError::Connection(fault) => *fault != ConnectionFault::LostWithin,
        ClientError::Timeout(fault) => *fault == TimeoutFault::Connect,
        _ => false,
    }
}

fn fault_before(error: &reqwest::Error) -> ClientError {
    if error.is_connect() {
        return if error.is_timeout() {
            ClientError::Timeout(TimeoutFault::Connect)
        } else {
            ClientError::Connection(connect_fault(error))
        };
    }
    // What came was no head of an answer. A head that breaks off counts as none: there is no way to
    // tell it from silence.
    let garbled = find::<hyper::Error>(error, hyper::Error::is_parse);
    ClientError::Connection(if garbled {
        ConnectionFault::LostWithin
    } else {
        ConnectionFault::LostBefore
    })
}

fn connect_fault(error: &reqwest::Error) -> ConnectionFault {
    if error.is_dns() {
        ConnectionFault::Name
    } else if find::<rustls::Error>(error, |_| true) {
        ConnectionFault::Tls
    } else if find::<io::Error>(error, |fault| fault.kind() == io::ErrorKind::ConnectionRefused) {
        ConnectionFault::Refused
    } else {
        ConnectionFault::Unreachable
    }
}

/// What a failure within a body means.
pub(crate) fn fault_within(error: &reqwest::Error) -> ClientError {
    if find::<hyper::Error>(error, |_| true) {
        ClientError::Connection(ConnectionFault::LostWithin)
    } else {
        ClientError::Decode
    }
}

/// Whether a cause of the error is an `E` that passes the test. I/O errors hide their causes from
/// `source`, so both ways are followed.
fn find<E: Error + 'static>(
    error: &(dyn Error + 'static),
    test: impl Fn(&E) -> bool + Copy,
) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.downcast_ref::<E>().is_some_and(test) {
            return true;
        }
        if let Some(inner) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref)
            && find(inner, test)
        {
            return true;
        }
        next = error.source();
    }
    false
}
