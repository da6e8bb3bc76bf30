import { createHash, randomBytes } from "node:crypto";

import { Connection } from "./connection.js";
import { socketPath } from "./endpoint.js";
import { AuditUnavailable, Busy, Disconnected, KistError, Locked, NoSuchKey, ReplyError, RequestError, SeveralKeys, Timeout, Unreachable } from "./errors.js";
import { Request } from "./frame.js";
import { operations } from "./schema.js";

const RETRY_KEY_SIZE = 16;
/** Milliseconds, as setTimeout takes them. */
const TIMEOUT_MOST = 2 ** 31 - 1;
const REQUEST_ID_MOST = 2n ** 64n - 1n;

/**
 * A connection to `kistd`. Calls share it without waiting for one another, so that they share commits of the daemon's log; one that takes too
 * long or is aborted leaves the others alone. It connects when it is first used, and again when the connection has ended; only a token or an
 * envelope that is opened with `retry` is ever sent twice. An idle connection keeps no program from ending.
 */
export class Client {
  #path;
  #connection;
  #timeout;

  /** Throws `EndpointError`, and `RangeError` for a time-out that is none. */
  constructor({ endpoint, timeout = 10_000 } = {}) {
    this.#path = socketPath(endpoint);
    this.#timeout = checkedTimeout(timeout);
    this.#connection = new Connection(this.#path);
  }

  /** 1 to 1024 random bytes from the daemon's kernel. */
  async random(count, options) {
    const { random } = await this.#call("random", null, { count }, options);
    if (random?.length !== count) throw new ReplyError(`${random?.length ?? 0} random bytes instead of ${count}`);
    return random;
  }

  /**
   * Verifies a token as Apple requires and opens it, once. With `retry`, or a `retryKey` of 16 bytes for this payment alone, the very same call
   * opens it again for as long as the merchant's `retry_window` lasts, so that a lost reply is not a lost payment [OP-OPEN-11].
   */
  openPaymentToken(token, request = {}, { key = token.key, ...options } = {}) {
    return this.#open("openPaymentToken", key, { ...request, token }, options);
  }

  /** What is sealed in a payment envelope, as far as policy releases it; `retry` and `retryKey` as of `openPaymentToken` [OP-ENV-7]. */
  openEnvelope(key, request, options = {}) {
    return this.#open("openEnvelope", key, request, options);
  }

  /** All keys that the caller may list, by label, whose label begins with `prefix` and is covered by `pattern`. */
  async keys({ prefix, pattern } = {}, options) {
    const keys = [];
    for (let more = true; more; ) {
      const page = await this.listKeys({ prefix, pattern, after: keys.at(-1)?.label }, options);
      for (const key of page.keys) {
        // Otherwise the listing might never end [OP-LIST-1].
        if (keys.length && Buffer.compare(Buffer.from(key.label ?? ""), Buffer.from(keys.at(-1).label)) <= 0) throw new ReplyError("a listing whose labels do not ascend");
        keys.push(key);
      }
      more = page.more && page.keys.length > 0;
    }
    return keys;
  }

  /** The one key whose label `pattern` covers, such as `merchant/acme/*`; destroyed keys are passed over. Throws `NoSuchKey`, `SeveralKeys`. */
  async findKey(pattern, options) {
    if (!pattern) throw new RequestError("findKey: pattern is missing");
    const [found, ...others] = (await this.keys({ pattern }, options)).filter((key) => key.state !== "destroyed");
    if (!found) throw new NoSuchKey(pattern);
    if (others.length) throw new SeveralKeys(pattern, [found, ...others].map((key) => key.label));
    return found;
  }

  /** Ends the connection and every call on it; another call opens a new one. */
  close() {
    this.#connection.close();
  }

  async #open(name, key, value, { retry = false, ...options }) {
    const retryKey = value.retryKey ?? (retry ? randomBytes(RETRY_KEY_SIZE) : undefined);
    const ownKey = retryKey && Uint8Array.from(retryKey);
    const settled = this.#settled(options);
    const request = new Request(name, key, { ...value, retryKey });
    try {
      return await this.#answer(request, settled, retry);
    } catch (error) {
      if (error instanceof KistError && ownKey) error.retryKey = ownKey;
      throw error;
    } finally {
      request.wipe();
    }
  }

  async #answer(request, settled, isRepeated) {
    try {
      return await this.#connection.call(request, settled);
    } catch (lost) {
      if (!isRepeated || !(lost instanceof Disconnected || lost instanceof Timeout)) throw lost;
      // A connection of its own, for other calls still wait for replies on this one.
      const other = new Connection(this.#path);
      try {
        return await other.call(request, settled);
      } catch (error) {
        if (!isAboutDaemon(error)) throw error;
        lost.cause = error; // for the first may have been carried out
        throw lost;
      } finally {
        other.close();
      }
    }
  }

  async #call(name, key, value, options) {
    const settled = this.#settled(options);
    const request = new Request(name, key, value);
    try {
      return await this.#connection.call(request, settled);
    } finally {
      request.wipe();
    }
  }

  #settled({ timeout = this.#timeout, signal, requestId, ...others } = {}) {
    for (const name of Object.keys(others)) throw new TypeError(`a call has no option ${name}`);
    return { timeout: checkedTimeout(timeout), signal, requestId: requestId === undefined ? null : requestNumber(requestId) };
  }

  static {
    for (const [name, { key, request }] of Object.entries(operations)) {
      // The methods above say more.
      if (name in Client.prototype) continue;
      const isKeyed = key !== "none";
      Client.prototype[name] = async function (...given) {
        const [id, value, options] = [isKeyed ? given.shift() : null, request ? given.shift() : null, given.shift()];
        return this.#call(name, id, value, options);
      };
    }
  }
}

/**
 * The request id that goes over the wire: a number as it is; 16 hexadecimal digits are one, and any other text stands for the first 8 bytes of
 * its SHA-256, as `kist audit show --request` reads it, too. Throws `RangeError` for 0, less, and more than 64 bits.
 */
export function requestNumber(name) {
  if (typeof name === "string") {
    const digits = /^[0-9A-Fa-f]{16}$/.test(name) ? BigInt(`0x${name}`) : 0n;
    return digits || createHash("sha256").update(name, "utf8").digest().readBigUInt64BE(0);
  }
  const isWhole = typeof name === "bigint" || Number.isSafeInteger(name);
  if (isWhole && name > 0 && BigInt(name) <= REQUEST_ID_MOST) return BigInt(name);
  throw new RangeError("a request id is a text, or a whole number of at most 64 bits that is not 0");
}

function checkedTimeout(timeout) {
  if (timeout === null || (typeof timeout === "number" && timeout > 0 && timeout <= TIMEOUT_MOST)) return timeout;
  throw new RangeError(`a time-out is more than 0 and at most ${TIMEOUT_MOST} milliseconds, or null`);
}

/** Whether it could meet any request: so it says nothing of an earlier one. */
function isAboutDaemon(error) {
  return [Unreachable, Locked, AuditUnavailable].some((kind) => error instanceof kind) || (error instanceof Busy && error.endsConnection);
}
