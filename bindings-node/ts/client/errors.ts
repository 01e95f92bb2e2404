/**
 * Why a request of the native client gave nothing (N-2). Their words name the fault, with what the
 * service said of it behind; never a key.
 */

import { ConfigurationError, named, SwingbridgeError } from '../errors.js';

/** What the addon tells of a failure. */
interface Fault {
  code: string;
  message: string;
  status?: number;
  request_id?: string;
  service_code?: string;
  type?: string;
  param?: string;
  /** What the service wrote, cut to a bounded length. */
  said?: string;
}

/** A request failed, or its answer is not what was asked for. */
export class APIError extends SwingbridgeError {
  /** The status of the answer, if it was one. */
  readonly status: number | undefined;
  /** The service's own name of the request. */
  readonly requestID: string | undefined;
  /** What the service calls the fault: its `code`, `type` and `param`. `code` is this package's. */
  readonly serviceCode: string | undefined;
  readonly type: string | undefined;
  readonly param: string | undefined;

  constructor(fault: Fault, options?: ErrorOptions) {
    const { message, said } = fault;
    super(said === undefined ? message : `${message}: ${said}`, fault.code, options);
    this.status = fault.status;
    this.requestID = fault.request_id;
    this.serviceCode = fault.service_code;
    this.type = fault.type;
    this.param = fault.param;
  }

  static {
    named(this, 'APIError');
  }
}

/** The caller aborted the request; `cause` is the signal's reason. */
export class APIUserAbortError extends APIError {
  static {
    named(this, 'APIUserAbortError');
  }
}

/** No connection stood, or it was lost before the answer was complete. */
export class APIConnectionError extends APIError {
  static {
    named(this, 'APIConnectionError');
  }
}

/** The connection, the answer or the next part of it did not come in time. */
export class APIConnectionTimeoutError extends APIConnectionError {
  static {
    named(this, 'APIConnectionTimeoutError');
  }
}

/** The service answered with a status that is no success. */
export class APIStatusError extends APIError {
  declare readonly status: number;

  static {
    named(this, 'APIStatusError');
  }
}

/** Status 400. */
export class BadRequestError extends APIStatusError {
  static {
    named(this, 'BadRequestError');
  }
}

/** Status 401. */
export class AuthenticationError extends APIStatusError {
  static {
    named(this, 'AuthenticationError');
  }
}

/** Status 403. */
export class PermissionDeniedError extends APIStatusError {
  static {
    named(this, 'PermissionDeniedError');
  }
}

/** Status 404. */
export class NotFoundError extends APIStatusError {
  static {
    named(this, 'NotFoundError');
  }
}

/** Status 409. */
export class ConflictError extends APIStatusError {
  static {
    named(this, 'ConflictError');
  }
}

/** Status 422. */
export class UnprocessableEntityError extends APIStatusError {
  static {
    named(this, 'UnprocessableEntityError');
  }
}

/** Status 429. */
export class RateLimitError extends APIStatusError {
  static {
    named(this, 'RateLimitError');
  }
}

/** Status 500 and above. */
export class InternalServerError extends APIStatusError {
  static {
    named(this, 'InternalServerError');
  }
}

type APIErrorClass = new (fault: Fault, options?: ErrorOptions) => APIError;

const CLASSES: Readonly<Record<string, APIErrorClass>> = {
  bad_request: BadRequestError,
  authentication_failed: AuthenticationError,
  permission_denied: PermissionDeniedError,
  not_found: NotFoundError,
  conflict: ConflictError,
  unprocessable: UnprocessableEntityError,
  rate_limited: RateLimitError,
  server_failed: InternalServerError,
  redirected: APIStatusError,
  status_unexpected: APIStatusError,
  name_not_resolved: APIConnectionError,
  connection_refused: APIConnectionError,
  tls_failed: APIConnectionError,
  unreachable: APIConnectionError,
  connection_lost_before_answer: APIConnectionError,
  connection_lost_within_answer: APIConnectionError,
  connect_timeout: APIConnectionTimeoutError,
  request_timeout: APIConnectionTimeoutError,
  idle_timeout: APIConnectionTimeoutError,
  aborted: APIUserAbortError,
};

/** Mistakes of the caller, which nothing was sent for. */
const MISUSES: readonly string[] = ['request_path_invalid', 'request_header_invalid'];

/** The error for what the addon told, as JSON; `cause` goes with an abort. */
export function errorOf(text: string, cause?: unknown): Error {
  const fault = JSON.parse(text) as Fault;
  const { code, message } = fault;
  if (MISUSES.includes(code)) return new ConfigurationError(message, code);
  const type = CLASSES[code] ?? APIError;
  return new type(fault, type === APIUserAbortError ? { cause } : undefined);
}
