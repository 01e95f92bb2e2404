//! Why there is no reply (N-2).

use thiserror::Error;

use crate::codes::codes;
use crate::service::ServiceFault;

/// What failed. Its words name the fault; what a service wrote is in the [`ServiceFault`] only.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ClientError {
    // The service answered with a status.
    #[error("the service found the request malformed (status 400)")]
    BadRequest(Box<ServiceFault>),
    #[error("the service did not accept the API key (status 401)")]
    Authentication(Box<ServiceFault>),
    #[error("the service does not permit the request (status 403)")]
    PermissionDenied(Box<ServiceFault>),
    #[error("the service does not have what the request names (status 404)")]
    NotFound(Box<ServiceFault>),
    #[error("the request is in conflict with another one (status 409)")]
    Conflict(Box<ServiceFault>),
    #[error("the service could not process the request (status 422)")]
    Unprocessable(Box<ServiceFault>),
    #[error("the service has had too many requests or the quota is used up (status 429)")]
    RateLimit(Box<ServiceFault>),
    #[error("the service failed (status {})", .0.status)]
    Server(Box<ServiceFault>),
    #[error("the service sends elsewhere (status {}), which is not followed; set base_url to the final address", .0.status)]
    Redirected(Box<ServiceFault>),
    #[error("the service answered with status {}", .0.status)]
    Status(Box<ServiceFault>),
    // No whole answer came.
    #[error("{0}")]
    Connection(ConnectionFault),
    #[error("{0}")]
    Timeout(TimeoutFault),
    // The answer is not what was asked for.
    #[error("the reply could not be decompressed")]
    Decode,
    #[error("the service did not answer with a stream of events")]
    NotAStream,
    /// In the place of an event came an error.
    #[error("the service ended the stream with an error")]
    Stream(Box<ServiceFault>),
    /// In the place of a response came an error, with a status of success.
    #[error("the service answered with an error in the place of a response")]
    Reply(Box<ServiceFault>),
    #[error("the reply is larger than the limit")]
    ReplyTooLarge,
    #[error("an event of the stream is larger than the limit")]
    EventTooLarge,
    // The caller or the machine.
    #[error("{0}")]
    Request(RequestFault),
    #[error("the system gave no randomness")]
    NoRandomness,
}

#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ConnectionFault {
    #[error("the name of the service could not be resolved")]
    Name,
    #[error("the service refused the connection")]
    Refused,
    #[error("no secure connection could be agreed on")]
    Tls,
    #[error("no connection could be made")]
    Unreachable,
    #[error("the connection was lost before an answer came")]
    LostBefore,
    #[error("the connection was lost within the answer")]
    LostWithin,
}

#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum TimeoutFault {
    #[error("no connection stood in time")]
    Connect,
    #[error("the answer did not come in time")]
    Request,
    #[error("the answer stalled")]
    Idle,
}

#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum RequestFault {
    #[error("the path of the request is empty or leads out of the base address")]
    Path,
    #[error("a header of the request cannot be sent, or is set by the client itself")]
    Header,
}

codes! {
    ClientError {
        Self::BadRequest(_) => "bad_request",
        Self::Authentication(_) => "authentication_failed",
        Self::PermissionDenied(_) => "permission_denied",
        Self::NotFound(_) => "not_found",
        Self::Conflict(_) => "conflict",
        Self::Unprocessable(_) => "unprocessable",
        Self::RateLimit(_) => "rate_limited",
        Self::Server(_) => "server_failed",
        Self::Redirected(_) => "redirected",
        Self::Status(_) => "status_unexpected",
        Self::Connection(ConnectionFault::Name) => "name_not_resolved",
        Self::Connection(ConnectionFault::Refused) => "connection_refused",
        Self::Connection(ConnectionFault::Tls) => "tls_failed",
        Self::Connection(ConnectionFault::Unreachable) => "unreachable",
        Self::Connection(ConnectionFault::LostBefore) => "connection_lost_before_answer",
        Self::Connection(ConnectionFault::LostWithin) => "connection_lost_within_answer",
        Self::Timeout(TimeoutFault::Connect) => "connect_timeout",
        Self::Timeout(TimeoutFault::Request) => "request_timeout",
        Self::Timeout(TimeoutFault::Idle) => "idle_timeout",
        Self::Decode => "reply_not_decoded",
        Self::NotAStream => "not_a_stream",
        Self::Stream(_) => "stream_failed",
        Self::Reply(_) => "reply_is_error",
        Self::ReplyTooLarge => "reply_too_large",
        Self::EventTooLarge => "event_too_large",
        Self::Request(RequestFault::Path) => "request_path_invalid",
        Self::Request(RequestFault::Header) => "request_header_invalid",
        Self::NoRandomness => "no_randomness",
    }
}

impl ClientError {
    /// What the service said, if it answered with a status that is no success, or with an error.
    pub fn service(&self) -> Option<&ServiceFault> {
        match self {
            Self::BadRequest(fault)
            | Self::Authentication(fault)
            | Self::PermissionDenied(fault)
            | Self::NotFound(fault)
            | Self::Conflict(fault)
            | Self::Unprocessable(fault)
            | Self::RateLimit(fault)
            | Self::Server(fault)
            | Self::Redirected(fault)
            | Self::Status(fault)
            | Self::Stream(fault)
            | Self::Reply(fault) => Some(fault),
            _ => None,
        }
    }

    pub(crate) fn of_status(fault: ServiceFault) -> Self {
        let fault = Box::new(fault);
        match fault.status {
            300..=399 => Self::Redirected(fault),
            400 => Self::BadRequest(fault),
            401 => Self::Authentication(fault),
            403 => Self::PermissionDenied(fault),
            404 => Self::NotFound(fault),
            409 => Self::Conflict(fault),
            422 => Self::Unprocessable(fault),
            429 => Self::RateLimit(fault),
            500..=599 => Self::Server(fault),
            _ => Self::Status(fault),
        }
    }
}
