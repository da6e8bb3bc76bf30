import { encode, Flaw } from "./codec.js";
import { TokenError } from "./errors.js";
import { parse } from "./json.js";

/** How many objects and base64 texts may be nested around the token itself. */
const WRAPPINGS = 8;
const TEXT_MOST = 512 * 1024;
const NEITHER = "neither JSON nor base64 of JSON";
const SIMULATOR = "a token of Apple's simulator: nothing can open it";
const VERSIONS = ["EC_v1", "RSA_v1"];

/** A payment token, unpacked and not yet verified. */
export class Token {
  /** The fields are those of the protocol's `PaymentToken`. */
  constructor(fields) {
    Object.assign(this, fields);
  }

  /** The id of the key that the token is for, 16 bytes. */
  get key() {
    return this.publicKeyHash.subarray(0, 16);
  }

  /**
   * Unpacks the JSON of `paymentData`, also within what PassKit, Apple Pay JS or W3C's Payment Request puts around it, base64 of it, or the object
   * that a JSON parser made of it; of that one nobody knows any more whether a name was there twice.
   *
   * Throws `TokenError` if it is none of these, or of Apple's simulator, or if a part has a size that no token's has.
   */
  static fromApple(text) {
    const token = unwrapped(text, WRAPPINGS);
    try {
      encode("PaymentToken", token);
    } catch (error) {
      throw error instanceof Flaw ? new TokenError(error.text) : error;
    }
    return token;
  }
}

/** The same without the check of sizes, for the table of all clients. */
export function unwrapped(value, wrappings = WRAPPINGS) {
  if (wrappings === 0) throw new TokenError("no token within so many objects");
  if (typeof value === "string" || value instanceof Uint8Array) {
    const inner = parsed(value);
    return unwrapped(inner, isObject(inner) ? wrappings : wrappings - 1);
  }
  if (!isObject(value)) throw new TokenError(value === null ? SIMULATOR : "JSON, but no token");
  for (const name of ["paymentData", "token", "details", "payment"]) {
    if (Object.hasOwn(value, name)) return unwrapped(value[name], wrappings - 1);
  }
  return token(value);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON, or base64 of more. */
function parsed(octets) {
  const text = decodedText(octets).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  if (!text) throw new TokenError(SIMULATOR);
  try {
    return text[0] === "{" || text[0] === '"' ? parse(text) : decoded(text);
  } catch {
    throw new TokenError(NEITHER);
  }
}

function decodedText(octets) {
  const bytes = typeof octets === "string" ? Buffer.from(octets, "utf8") : octets;
  if (bytes.length > TEXT_MOST) throw new TokenError(`more than ${TEXT_MOST} bytes`);
  if (typeof octets === "string") return octets; // half a surrogate pair is refused by `parse`, and no base64
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TokenError(NEITHER);
  }
}

function token(members) {
  if (!Object.keys(members).length) throw new TokenError(SIMULATOR);
  const version = string(members, "version");
  if (!VERSIONS.includes(version)) throw new TokenError("neither EC_v1 nor RSA_v1");
  const parts = { data: base64(members, "data"), signature: base64(members, "signature") };
  const isOfSimulator = !parts.data.length && !parts.signature.length;
  for (const name of ["data", "signature"]) {
    if (!parts[name].length) throw new TokenError(isOfSimulator ? SIMULATOR : `${name} is empty`);
  }
  const header = member(members, "header");
  if (!isObject(header)) throw new TokenError("header is not an object");
  return new Token({
    version,
    ...parts,
    publicKeyHash: base64(header, "publicKeyHash"),
    transactionId: hex(header, "transactionId"),
    // Serialisers of optional fields write null where Apple writes nothing.
    ...((header.applicationData ?? null) === null ? {} : { applicationData: hex(header, "applicationData") }),
    ...(version === "EC_v1" ? { ephemeralPublicKey: base64(header, "ephemeralPublicKey") } : { wrappedKey: base64(header, "wrappedKey") }),
  });
}

function member(members, name) {
  if (!Object.hasOwn(members, name)) throw new TokenError(`the token has no ${name}`);
  return members[name];
}

function string(members, name) {
  const text = member(members, name);
  if (typeof text !== "string") throw new TokenError(`${name} is not text`);
  return text;
}

function base64(members, name) {
  const text = string(members, name);
  try {
    return decoded(text);
  } catch {
    throw new TokenError(`${name} is not base64`);
  }
}

/** Base64 with its padding, and zeros in the unused bits, so that no two texts mean the same bytes. */
function decoded(text) {
  const octets = Buffer.from(text, "base64");
  if (octets.toString("base64") !== text) throw new SyntaxError("not canonical");
  return new Uint8Array(octets);
}

function hex(members, name) {
  const text = string(members, name);
  if (!/^(?:[0-9A-Fa-f]{2})*$/.test(text)) throw new TokenError(`${name} is not hexadecimal`);
  return new Uint8Array(Buffer.from(text, "hex"));
}
