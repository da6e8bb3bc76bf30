// Frames (PROTOCOL.md section 2), and the meaning of replies.

import { decode, encode, Flaw, nameOf } from "./codec.js";
import * as errors from "./errors.js";
import { operations } from "./schema.js";

const VERSION = 1;
/** Asks for the wait in a `busy` reply [WIRE-24]. */
const WAIT = 1;
const LENGTH_SIZE = 4;
const REQUEST_HEADER_SIZE = 28;
const REQUEST_MOST = 131072;
const REPLY_HEADER_SIZE = 20;
const REPLY_MOST = 1024 * 1024;
const UNAUDITED = 0xffffffffffffffffn;
const KEY_SIZE = 16;

/** One request: its frame, but for the id. The caller's own bytes may change as soon as it is made. */
export class Request {
  #frame;

  /** Throws `RequestError` where a value breaks a bound, and `TypeError` where it is of another type. */
  constructor(name, key, value) {
    this.name = name;
    this.operation = operations[name];
    this.#frame = requestFrame(this.operation.opcode, checkedKey(this.operation, key), encoded(name, this.operation, value));
  }

  /** A frame to send, which whoever sends it wipes. */
  frame(requestId) {
    const frame = Buffer.alloc(this.#frame.length);
    frame.set(this.#frame);
    frame.writeBigUInt64BE(requestId, 8);
    return frame;
  }

  /** Once it is not to be sent again. */
  wipe() {
    this.#frame.fill(0);
  }
}

/** A whole frame with request id 0. Throws `RequestError` if it is larger than any may be [WIRE-4]. */
export function requestFrame(opcode, key, parts, flags = WAIT) {
  const size = LENGTH_SIZE + REQUEST_HEADER_SIZE + parts.reduce((sum, part) => sum + part.length, 0);
  if (size - LENGTH_SIZE > REQUEST_MOST) throw new errors.RequestError("the request is larger than the protocol takes");
  const frame = Buffer.alloc(size);
  frame.writeUInt32BE(size - LENGTH_SIZE, 0);
  frame[4] = VERSION;
  frame[5] = flags;
  frame.writeUInt16BE(opcode, 6);
  if (key) frame.set(key, 16);
  let at = LENGTH_SIZE + REQUEST_HEADER_SIZE;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

function encoded(name, operation, value) {
  try {
    return operation.request ? encode(operation.request, value ?? {}) : [];
  } catch (error) {
    throw error instanceof Flaw ? new errors.RequestError(`${name}: ${error.text}`) : error;
  }
}

function checkedKey(operation, key) {
  if (operation.key === "none" || (operation.key === "optional" && (key === null || key === undefined))) return null;
  if (!(key instanceof Uint8Array)) throw new TypeError("a key's id is a Uint8Array");
  if (key.length !== KEY_SIZE) throw new errors.RequestError(`a key's id has ${KEY_SIZE} bytes, not ${key.length}`);
  return key;
}

/** Cuts what arrives into replies. */
export class Replies {
  #chunks = [];
  #size = 0;
  /** Of the reply that is arriving, its length field included; 0 until that has arrived. */
  #wanted = 0;

  /** Whether a reply has arrived in part. */
  get isAmidst() {
    return this.#size > 0;
  }

  push(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The next whole reply without its length field, or null. Throws `ReplyError` for a length that no reply has [WIRE-4]. */
  next() {
    if (!this.#wanted && this.#size >= LENGTH_SIZE) {
      const length = this.#whole().readUInt32BE(0);
      if (length < REPLY_HEADER_SIZE || length > REPLY_MOST) throw new errors.ReplyError(`a reply of ${length} bytes`);
      this.#wanted = LENGTH_SIZE + length;
    }
    if (!this.#wanted || this.#size < this.#wanted) return null;
    const all = this.#whole();
    const reply = all.subarray(LENGTH_SIZE, this.#wanted);
    this.#chunks = all.length > this.#wanted ? [all.subarray(this.#wanted)] : [];
    this.#size -= this.#wanted;
    this.#wanted = 0;
    return reply;
  }

  wipe() {
    for (const chunk of this.#chunks) chunk.fill(0);
    this.#chunks = [];
    this.#size = this.#wanted = 0;
  }

  #whole() {
    if (this.#chunks.length > 1) {
      const whole = Buffer.alloc(this.#size);
      let at = 0;
      for (const chunk of this.#chunks) {
        whole.set(chunk, at);
        at += chunk.length;
        chunk.fill(0);
      }
      this.#chunks = [whole];
    }
    return this.#chunks[0];
  }
}

/**
 * The answer in a reply, which is wiped. `isFirst` says whether it is the first one of its connection.
 *
 * Throws `Refused`, and `ReplyError` where the reply is not one to this request or breaks the protocol.
 */
export function answer(request, requestId, reply, isFirst) {
  try {
    return read(request, requestId, reply, isFirst);
  } catch (error) {
    throw error instanceof Flaw ? new errors.ReplyError(`${request.name}: ${error.message}`) : error;
  } finally {
    reply.fill(0);
  }
}

function read(request, requestId, reply, isFirst) {
  const header = readHeader(reply);
  const body = reply.subarray(REPLY_HEADER_SIZE);
  if (header.opcode !== request.operation.opcode || header.requestId !== requestId) {
    if (header.opcode === 0 && header.requestId === 0n && body.length === 0) {
      if (header.status === "malformed") throw new errors.Malformed(header.auditSequence); // [WIRE-8]
      if (header.status === "busy" && isFirst) throw new errors.Busy(header.auditSequence, null, true); // [WIRE-21]
    }
    throw new Flaw("another request's reply"); // [WIRE-19]
  }
  if (header.status !== "ok") throw refusal(header, body);
  const into = { auditSequence: header.auditSequence };
  if (request.operation.reply) return decode(request.operation.reply, body, into);
  if (body.length) throw new Flaw("trailing-bytes");
  return into;
}

/** The 20 bytes after a reply's length. Throws `Flaw` for another version or an unknown status. */
export function readHeader(reply) {
  if (reply[0] !== VERSION) throw new Flaw("version");
  const status = nameOf("Status", reply[1]);
  if (!status) throw new Flaw("bad-value", 0);
  const sequence = reply.readBigUInt64BE(12);
  return {
    status,
    opcode: reply.readUInt16BE(2),
    requestId: reply.readBigUInt64BE(4),
    auditSequence: sequence === UNAUDITED ? null : sequence,
  };
}

const PLAIN = {
  unsupported: errors.Unsupported,
  denied: errors.Denied,
  locked: errors.Locked,
  "audit-unavailable": errors.AuditUnavailable,
  internal: errors.Internal,
};

/** What a status that is not `ok` means, with the body that goes with it [WIRE-18]. */
function refusal({ status, auditSequence }, body) {
  switch (status) {
    case "malformed": // [WIRE-22]
      return new errors.Malformed(auditSequence, body.length ? decode("Malformation", body).why : null);
    case "rejected":
      return new errors.Rejected(auditSequence, body.length ? rejection(body) : {});
    case "busy": // [WIRE-24]
      return new errors.Busy(auditSequence, body.length ? decode("Busy", body).retryAfter : null);
    case "approval-needed": {
      const { request = "", until } = decode("ApprovalNeeded", body); // [WIRE-20]
      return new errors.ApprovalNeeded(auditSequence, request, until);
    }
    default:
      if (body.length) throw new Flaw("trailing-bytes");
      return new PLAIN[status](status, auditSequence);
  }
}

function rejection(body) {
  const found = {};
  try {
    decode("Rejection", body, found);
  } catch (error) {
    // A stage of a later daemon is a rejection like any other (section 8); a field that is unknown takes nothing from its stage.
    if (!(error instanceof Flaw) || error.fault !== "bad-value") throw error;
  }
  const known = (name) => (typeof name === "string" ? name : null);
  return { stage: known(found.stage) ?? "unknown", field: known(found.field), releasedField: known(found.releasedField) };
}
