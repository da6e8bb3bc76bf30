import type {
  Answer,
  CallOptions,
  KeyDescription,
  OpenEnvelopeRequest,
  OpenPaymentTokenReply,
  OpenPaymentTokenRequest,
  Operations,
  PassField,
  PaymentToken,
  ReleasedField,
  SignatureScheme,
  Stage,
  Status,
  TokenVersion,
} from "./schema.js";
import type { Secret } from "./secret.js";

export * from "./schema.js";
export { Secret, wipeSecrets } from "./secret.js";

export interface ClientOptions {
  /** `unix:/PATH`; else the environment's `KIST_ENDPOINT`, else `unix:/run/kist/kist.sock`. */
  endpoint?: string;
  /** Milliseconds for one call, connecting included; 10,000 unless given, null for no end. */
  timeout?: number | null;
}

/** What holds for one call that opens something once. */
export interface OpeningOptions extends CallOptions {
  /** Sends it once more if the reply is lost (`Disconnected`, `Timeout`), on a new connection and with a new time-out. */
  retry?: boolean;
}

/** The operations that `Client` has in a form of their own. */
type Plain = Omit<Operations, "random" | "openPaymentToken" | "openEnvelope">;

/**
 * A connection to `kistd`. Calls share it without waiting for one another; one that takes too long or is aborted leaves the others alone. It
 * connects when it is first used, and again when the connection has ended. An idle connection keeps no program from ending.
 *
 * ```js
 * const client = new Client();
 * const opened = await client.openPaymentToken(Token.fromApple(body), { expectedCurrency: "840", expectedAmount: 1499 });
 * ```
 *
 * A call rejects with a `Refused`, the daemon's answer; with `Unreachable`, `Disconnected`, `Timeout` or `ReplyError` where there is no valid
 * one; with `RequestError` or `TypeError` where a value cannot be sent; or with the reason of its signal.
 */
export class Client implements Plain {
  /** Throws `EndpointError`, and `RangeError` for a time-out that is none. */
  constructor(options?: ClientOptions);
  /** 1 to 1024 random bytes from the daemon's kernel. */
  random(count: number, options?: CallOptions): Promise<Secret>;
  /**
   * Verifies a token as Apple requires and opens it, once. With `retry`, or a `retryKey` of 16 bytes for this payment alone, the very same call
   * opens it again for as long as the merchant's `retry_window` lasts, so that a lost reply is not a lost payment [OP-OPEN-11].
   */
  openPaymentToken(
    token: Token,
    request?: Omit<OpenPaymentTokenRequest, "token">,
    options?: OpeningOptions & {
      /** Only if it is not the key that the token names. */
      key?: Uint8Array;
    },
  ): Promise<Answer & OpenPaymentTokenReply>;
  /** What is sealed in a payment envelope, as far as policy releases it; `retry` and `retryKey` as of `openPaymentToken` [OP-ENV-7]. */
  openEnvelope(key: Uint8Array, request: OpenEnvelopeRequest, options?: OpeningOptions): Promise<Answer & OpenPaymentTokenReply>;
  /** All keys that the caller may list, by label, whose label begins with `prefix` and is covered by `pattern`. */
  keys(which?: { prefix?: string; pattern?: string }, options?: CallOptions): Promise<KeyDescription[]>;
  /** The one key whose label `pattern` covers, such as `merchant/acme/*`; destroyed keys are passed over. Throws `NoSuchKey`, `SeveralKeys`. */
  findKey(pattern: string, options?: CallOptions): Promise<KeyDescription>;
  /** Ends the connection and every call on it; another call opens a new one. */
  close(): void;
}
export interface Client extends Plain {}

/** The services' socket of an installed daemon. */
export const SERVICES: string;
/** The operators' socket. */
export const OPERATORS: string;

/** A payment token, unpacked and not yet verified. */
export class Token implements PaymentToken {
  constructor(fields: PaymentToken);
  readonly version: TokenVersion;
  readonly data: Uint8Array;
  readonly signature: Uint8Array;
  readonly publicKeyHash: Uint8Array;
  readonly transactionId: Uint8Array;
  readonly ephemeralPublicKey?: Uint8Array;
  readonly wrappedKey?: Uint8Array;
  readonly applicationData?: Uint8Array;
  /** The id of the key that the token is for, 16 bytes. */
  get key(): Uint8Array;
  /**
   * Unpacks the JSON of `paymentData`, also within what PassKit, Apple Pay JS or W3C's Payment Request puts around it, base64 of it, or the object
   * that a JSON parser made of it; of that one nobody knows any more whether a name was there twice.
   *
   * Throws `TokenError` if it is none of these, or of Apple's simulator, or if a part has a size that no token's has.
   */
  static fromApple(text: string | Uint8Array | object): Token;
}

/** Any error of this package. */
export class KistError extends Error {
  /** Of a call: the id in its audit record, `kist audit show --request`; null if none was made. */
  requestId: bigint | null;
  /** Of a call with one: the key with which the same call can be made again [OP-OPEN-11]. */
  retryKey: Uint8Array | null;
}
/** The endpoint is not `unix:/PATH`. */
export class EndpointError extends KistError {}
/** Nobody answers on the socket; `code` says why, such as `ENOENT`. */
export class Unreachable extends KistError {
  readonly code: string;
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
export class NoSuchKey extends KistError {}
/** Several keys have such labels. */
export class SeveralKeys extends KistError {
  readonly labels: string[];
}

/** The daemon refused: `status` says why, and `auditSequence` is the record to quote to the operator, null if there is none. */
export class Refused extends KistError {
  readonly status: Status;
  readonly auditSequence: bigint | null;
  /** Whether the daemon closes the connection after it. */
  get endsConnection(): boolean;
}
/** The bytes break the protocol, by a fault of this package; `why` names the field, if it is about one. */
export class Malformed extends Refused {
  readonly why: string | null;
}
/** This daemon has no such operation. */
export class Unsupported extends Refused {}
/** No right to this, or no such key; the two look the same. */
export class Denied extends Refused {}
/** Understood and permitted, but a check failed: do not repeat it. What policy does not show is null. */
export class Rejected extends Refused {
  /** `unknown` for one that only a later daemon knows. */
  readonly stage: Stage | "unknown" | null;
  readonly field: PassField | null;
  /** The required field that is not released, at stage `not-released`; the token can still be opened. */
  readonly releasedField: ReleasedField | null;
}
/** A rate or quota is used up, or memory or connections are: try again in `retryAfter` milliseconds; null if not told. */
export class Busy extends Refused {
  readonly retryAfter: number | null;
}
/** The key store is locked: try again when an operator has unlocked it. */
export class Locked extends Refused {}
/** The audit log cannot be written: nothing is served until its disk has space, or until a restart. */
export class AuditUnavailable extends Refused {}
/** A fault of the daemon's. */
export class Internal extends Refused {}
/** An operator must approve: `kist approve REQUEST`; the same call is then carried out once, `until` that second since 1970. */
export class ApprovalNeeded extends Refused {
  readonly request: string;
  readonly until: bigint;
}

/** What `sign` signs of a JWS: header and payload. Throws `RangeError` for a scheme that JWS has no name for, or a member that may not be there. */
export function jwsInput(scheme: SignatureScheme, payload: Uint8Array, header?: Readonly<Record<string, string | number>>): Uint8Array;
/** The JWS of such an input and its signature. */
export function jwsCompact(signed: Uint8Array, signature: Uint8Array): string;
