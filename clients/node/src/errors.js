// The errors of a call. A `Refused` is the daemon's answer and has its status; all else is this side's. None holds a secret.

/** Any error of this package. */
export class KistError extends Error {
  /** Of a call: the id in its audit record, `kist audit show --request`; null if none was made. */
  requestId = null;
  /** Of a call with one: the key with which the same call can be made again [OP-OPEN-11]. */
  retryKey = null;

  get name() {
    return this.constructor.name;
  }
}

/** The endpoint is not `unix:/PATH`. */
export class EndpointError extends KistError {
  constructor(endpoint) {
    super(`the endpoint is ${JSON.stringify(endpoint)}; expected unix:/PATH`);
  }
}

/** Nobody answers on the socket; `code` says why, such as `ENOENT`. */
export class Unreachable extends KistError {
  constructor(path, code) {
    super(`${path}: ${code === "EAGAIN" ? "the daemon takes no more connections" : code}`);
    this.code = code;
  }
}

/** The connection ended before the reply: the request may have been carried out. */
export class Disconnected extends KistError {}

/** The reply did not come in time: the request may have been carried out, unless the text says that it was not sent. */
export class Timeout extends KistError {}

/** The request breaks a bound of the protocol, so nothing was sent; the text names the field and the bound. */
export class RequestError extends KistError {}

/** The reply breaks the protocol; the connection was closed. */
export class ReplyError extends KistError {}

/** The text is not a payment token of Apple's; nothing was sent. */
export class TokenError extends KistError {}

/** No key has such a label, or none that the caller may list. */
export class NoSuchKey extends KistError {
  constructor(pattern) {
    super(`no key has the label ${JSON.stringify(pattern)}, or policy lets this caller list none that has`);
  }
}

/** Several keys have such labels: `labels`. */
export class SeveralKeys extends KistError {
  constructor(pattern, labels) {
    super(`${JSON.stringify(pattern)} covers several keys: ${labels.join(", ")}`);
    this.labels = labels;
  }
}

/** The daemon refused: `status` says why, and `auditSequence` is the record to quote to the operator, null if there is none. */
export class Refused extends KistError {
  constructor(status, auditSequence, text = "") {
    const record = auditSequence === null ? "" : ` (audit record ${auditSequence})`;
    super(status + text + record);
    this.status = status;
    this.auditSequence = auditSequence;
  }

  /** Whether the daemon closes the connection after it. */
  get endsConnection() {
    return false;
  }
}

/** The bytes break the protocol, by a fault of this package; `why` names the field, if it is about one. */
export class Malformed extends Refused {
  constructor(auditSequence, why = null) {
    super("malformed", auditSequence, why ? `: ${why}` : "");
    this.why = why;
  }

  get endsConnection() {
    return true;
  }
}

/** This daemon has no such operation. */
export class Unsupported extends Refused {}

/** No right to this, or no such key; the two look the same. */
export class Denied extends Refused {}

/** Understood and permitted, but a check failed: do not repeat it. `stage`, `field` and `releasedField` are null if not told. */
export class Rejected extends Refused {
  constructor(auditSequence, { stage = null, field = null, releasedField = null } = {}) {
    const name = releasedField ?? field;
    super("rejected", auditSequence, (stage ? ` at stage ${stage}` : "") + (name ? ` (${name})` : ""));
    this.stage = stage;
    this.field = field;
    this.releasedField = releasedField;
  }
}

/** A rate or quota is used up, or memory or connections are: try again in `retryAfter` milliseconds; null if not told. */
export class Busy extends Refused {
  #ends;

  constructor(auditSequence, retryAfter = null, ends = false) {
    super("busy", auditSequence, retryAfter === null ? "" : ` for ${retryAfter} ms`);
    this.retryAfter = retryAfter;
    this.#ends = ends;
  }

  /** Whether the daemon is at its cap on connections; then it carried out nothing on this one [WIRE-21]. */
  get endsConnection() {
    return this.#ends;
  }
}

/** The key store is locked: try again when an operator has unlocked it. */
export class Locked extends Refused {}

/** The audit log cannot be written: nothing is served until its disk has space, or until a restart. */
export class AuditUnavailable extends Refused {}

/** A fault of the daemon's. */
export class Internal extends Refused {}

/** An operator must approve: `kist approve REQUEST`; the same call is then carried out once, `until` that second since 1970. */
export class ApprovalNeeded extends Refused {
  constructor(auditSequence, request, until) {
    super("approval-needed", auditSequence, `: kist approve ${request}`);
    this.request = request;
    this.until = until;
  }
}
