// Encodes and decodes messages by the rules of PROTOCOL.md section 3: each has one encoding, all others are refused [WIRE-3].

import { isUtf8 } from "node:buffer";

import { Secret } from "./secret.js";
import { enums, messages } from "./schema.js";

const VARINT = 0;
const DELIMITED = 2;
const UINT32_MOST = 0xffffffff;
const UINT64_MOST = 0xffffffffffffffffn;
/** Numbers of enums that are sent in a set are one byte each. */
const SET_MOST = 255;

const isDelimited = (field) => field.kind === "bytes" || field.kind === "string" || field.kind === "set" || field.kind === "message";

/** What is wrong with a message, by the golden vectors' name; `text` is for a person, and has sizes and numbers alone. */
export class Flaw extends Error {
  constructor(fault, field = null, text = "") {
    super(field === null ? fault : `${fault} ${field}`);
    this.fault = fault;
    this.text = text || this.message;
  }
}

/** The name of an enum's number, or undefined. */
export function nameOf(type, number) {
  return names[type][number];
}

const names = Object.fromEntries(
  Object.entries(enums).map(([type, values]) => [type, Object.fromEntries(Object.entries(values).map(([name, number]) => [number, name]))]),
);

// Decoding

/**
 * Decodes a body; bytes and texts are copies, so that the body can be wiped. Throws `Flaw`; `into` then has what stands in front of it.
 *
 * What is empty is missing; a number that was left out is 0, a flag false, a list empty.
 */
export function decode(name, body, into = {}) {
  const reader = new Reader(body);
  const message = messages[name];
  for (const field of message.fields) reader.take(field, into);
  reader.end();
  for (const field of message.fields) check(field, into[field.name]);
  checkRule(message.rule, into);
  for (const field of message.fields) if (!(field.name in into)) setAbsent(field, into);
  return into;
}

class Reader {
  #bytes;
  #at = 0;
  /** The last varint's lower 28 bits, and the others. */
  #low = 0;
  #high = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd() {
    return this.#at === this.#bytes.length;
  }

  /** Takes this field if it is next, with all of its elements if it is repeated. */
  take(field, into) {
    if (field.presence === "repeated") {
      while (this.#takesTag(field)) {
        into[field.name] ??= [];
        if (into[field.name].length === field.count) throw new Flaw("too-long", field.number);
        into[field.name].push(this.#value(field));
      }
    } else if (this.#takesTag(field)) {
      into[field.name] = this.#value(field);
    } else if (field.presence === "required") {
      if (field.kind === "message") decode(field.type, new Uint8Array()); // refused by its own first field, if that is required
      throw new Flaw("bad-value", field.number);
    }
  }

  end() {
    if (this.isAtEnd) return;
    let tag;
    try {
      tag = this.#tag();
    } catch {
      throw new Flaw("trailing-bytes");
    }
    throw new Flaw("unexpected-field", tag >>> 3);
  }

  /** A varint of at most 64 bits, beyond 2^53 only nearly so; `exact` is what it was. */
  varint() {
    this.#low = this.#high = 0;
    for (let i = 0; i < 10; i++) {
      if (this.isAtEnd) throw new Flaw("truncated");
      const byte = this.#bytes[this.#at++];
      if (i === 9 && byte > 1) throw new Flaw("varint"); // has room for one bit
      if (i < 4) this.#low += (byte & 0x7f) * 2 ** (7 * i);
      else this.#high += (byte & 0x7f) * 2 ** (7 * (i - 4));
      if (byte & 0x80) continue;
      if (byte === 0 && i > 0) throw new Flaw("varint");
      return this.#low + this.#high * 2 ** 28;
    }
    throw new Flaw("varint");
  }

  get #exact() {
    return BigInt(this.#low) + (BigInt(this.#high) << 28n);
  }

  #takesTag(field) {
    if (this.isAtEnd) return false;
    const before = this.#at;
    const tag = this.#tag();
    const number = tag >>> 3;
    if (number < field.number) throw new Flaw("unexpected-field", number);
    if (number > field.number) {
      this.#at = before;
      return false;
    }
    if ((tag & 7) !== (isDelimited(field) ? DELIMITED : VARINT)) throw new Flaw("wire-type", number);
    return true;
  }

  #tag() {
    const number = this.varint();
    if (number > UINT32_MOST) throw new Flaw("varint");
    return number;
  }

  #value(field) {
    if (!isDelimited(field)) return this.#number(field);
    const part = this.#delimited(field);
    if (field.kind === "message") return decode(field.type, part);
    if (field.kind === "set") return ascending(field, part);
    if (part.length < field.least) throw new Flaw("bad-value", field.number);
    const bytes = field.kind === "string" ? checkedText(field, part) : part;
    if (field.isSecret) return new Secret(copy(bytes));
    return field.kind === "string" ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8") : copy(bytes);
  }

  #number(field) {
    const number = this.varint();
    if (number === 0 && field.presence !== "optional") throw new Flaw("explicit-default", field.number);
    if (field.kind === "uint64") return this.#exact;
    if ((field.kind === "uint32" && number > UINT32_MOST) || (field.kind === "bool" && number > 1)) throw new Flaw("varint");
    if (number < field.least || number > field.most) throw new Flaw("bad-value", field.number);
    if (field.kind === "bool") return true;
    return field.kind === "enum" ? nameOf(field.type, number) ?? number : number;
  }

  #delimited(field) {
    const length = this.varint();
    if (length > this.#bytes.length - this.#at) throw new Flaw("truncated");
    if (length > field.most) throw new Flaw("too-long", field.number);
    if (length === 0 && field.presence !== "repeated") throw new Flaw("explicit-default", field.number);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

/** In memory of its own, which no other value shares. */
function copy(bytes) {
  const own = new Uint8Array(bytes.length);
  own.set(bytes);
  return own;
}

function ascending(field, packed) {
  const reader = new Reader(packed);
  const found = [];
  for (let last = 0; !reader.isAtEnd; ) {
    const number = reader.varint();
    if (number <= last || number > SET_MOST) throw new Flaw("bad-value", field.number);
    found.push(nameOf(field.type, number) ?? number);
    last = number;
  }
  return found;
}

const DEFAULTS = { uint32: 0, uint64: 0n, bool: false };

function setAbsent(field, into) {
  if (field.presence === "repeated" || field.kind === "set") into[field.name] = [];
  else if (field.presence !== "optional" && field.kind in DEFAULTS) into[field.name] = DEFAULTS[field.kind];
}

// Encoding

/** Encodes a message as parts, which are not copies of the caller's bytes. Throws `Flaw` where `decode` would refuse the result. */
export function encode(name, value) {
  const message = messages[name];
  checkNames(name, value);
  const present = {};
  for (const field of message.fields) {
    const item = exact(field, value[field.name]);
    if (item !== undefined) present[field.name] = item;
  }
  for (const field of message.fields) check(field, present[field.name]);
  checkRule(message.rule, present);
  const parts = [];
  for (const field of message.fields) encodeField(field, present[field.name], parts);
  return parts;
}

/** A name that is none would leave out what the caller wants to be checked. */
function checkNames(name, value) {
  const names = messages[name].fields.map((field) => field.name);
  for (const given of Object.keys(value)) if (!names.includes(given)) throw new TypeError(`${name} has no ${given}; it takes ${names.join(", ")}`);
}

function encodeField(field, item, parts) {
  if (item === undefined) {
    if (field.presence !== "required") return;
    if (field.kind === "message") nested(field, {}); // refused by its own first field, if that is required
    throw breach("bad-value", field, "is missing");
  }
  const elements = field.presence === "repeated" ? item : [item];
  if (elements.length > Math.max(field.count ?? 1, 1)) {
    throw breach("too-long", field, `has ${elements.length} elements; it takes at most ${field.count}`);
  }
  for (const element of elements) parts.push(...encoded(field, element));
}

function encoded(field, item) {
  if (!isDelimited(field)) return [Buffer.from([...varint(field.number * 8 + VARINT), ...varint(checkedNumber(field, item))])];
  const parts = field.kind === "message" ? nested(field, item) : [field.kind === "set" ? packed(field, item) : item];
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  if (size > field.most) throw breach("too-long", field, `has ${size} bytes; it takes ${range(field)}`);
  if (field.kind !== "message" && size < field.least) throw breach("bad-value", field, `has ${size} bytes; it takes ${range(field)}`);
  return [Buffer.from([...varint(field.number * 8 + DELIMITED), ...varint(size)]), ...parts];
}

function nested(field, item) {
  try {
    return encode(field.type, item);
  } catch (error) {
    if (error instanceof Flaw) error.text = `${field.name}.${error.text}`;
    throw error;
  }
}

function checkedNumber(field, number) {
  if (field.kind !== "uint64" && (number < field.least || number > field.most)) {
    throw breach("bad-value", field, `is ${number}; it takes ${range(field)}`);
  }
  return number;
}

function packed(field, numbers) {
  return Uint8Array.from([...new Set(numbers)].sort((one, other) => one - other));
}

function varint(number) {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

/** The value to encode, its meaning unchanged; undefined for what is absent, or a default that cannot be sent. */
function exact(field, item) {
  if (item === undefined || item === null) return undefined;
  if (field.presence !== "repeated") {
    const value = exactElement(field, item);
    return field.presence === "optional" || !isDefault(field, value) ? value : undefined;
  }
  if (!Array.isArray(item)) throw new TypeError(`${field.name} takes an array, not ${kindOf(item)}`);
  return item.length ? item.map((element) => exactElement(field, element)) : undefined;
}

function isDefault(field, value) {
  if (field.kind === "message") return encodesNothing(field, value);
  return isDelimited(field) ? value.length === 0 : !value;
}

function encodesNothing(field, value) {
  return messages[field.type].fields.every((part) => exact(part, value[part.name]) === undefined);
}

function exactElement(field, item) {
  switch (field.kind) {
    case "message":
      if (typeof item !== "object") throw new TypeError(`${field.name} takes an object, not ${kindOf(item)}`);
      checkNames(field.type, item);
      return item;
    case "set":
      if (!Array.isArray(item)) throw new TypeError(`${field.name} takes an array, not ${kindOf(item)}`);
      return item.map((name) => numberOf(field, name));
    case "enum":
      return numberOf(field, item);
    case "bool":
      if (typeof item !== "boolean") throw new TypeError(`${field.name} takes a boolean, not ${kindOf(item)}`);
      return item ? 1 : 0;
    case "bytes":
      return octets(field, item);
    case "string":
      return typeof item === "string" ? text(field, item) : checkedText(field, octets(field, item));
    default:
      return whole(field, item);
  }
}

function numberOf(field, name) {
  const number = Object.hasOwn(enums[field.type], name) ? enums[field.type][name] : undefined;
  if (typeof name !== "string" || number === undefined) {
    throw breach("bad-value", field, `is none of ${Object.keys(enums[field.type]).join(", ")}`);
  }
  return number;
}

function whole(field, item) {
  const isWhole = typeof item === "bigint" ? item >= 0n && item <= UINT64_MOST : Number.isSafeInteger(item) && item >= 0;
  if (isWhole) return field.kind === "uint64" ? item : Number(item);
  if (typeof item === "number" || typeof item === "bigint") throw new TypeError(`${field.name} takes a whole number that is exact and not negative`);
  throw new TypeError(`${field.name} takes a number${field.kind === "uint64" ? " or a bigint" : ""}, not ${kindOf(item)}`);
}

function octets(field, item) {
  if (item instanceof Secret) return item.bytes;
  if (item instanceof Uint8Array) return item;
  throw new TypeError(`${field.name} takes ${field.kind === "string" ? "a string or " : ""}a Uint8Array, not ${kindOf(item)}`);
}

function text(field, item) {
  // Half a surrogate pair would be sent as another character.
  if (/\p{Surrogate}/u.test(item)) throw breach("text", field, "is not Unicode");
  return Buffer.from(item, "utf8");
}

function kindOf(item) {
  return item === null ? "null" : Array.isArray(item) ? "an array" : typeof item;
}

// Both ways

/** What bounds do not say: the numbers of an enum that has gaps or that cannot be asked for, and sizes. */
function check(field, item) {
  if (item === undefined) return;
  const numbers = field.kind === "set" ? item : field.kind === "enum" ? [item] : [];
  for (const each of numbers) {
    const number = typeof each === "string" ? enums[field.type][each] : each;
    if (nameOf(field.type, number) === undefined || field.never?.includes(number)) throw breach("bad-value", field, "is none of the values it takes here");
  }
  if (field.sizes && !field.sizes.includes(item.length)) throw breach("bad-value", field, `has ${item.length} bytes; it takes ${field.sizes.join(" or ")}`);
}

function checkRule(rule, present) {
  if (!rule) return;
  const count = (present[rule.first] !== undefined ? 1 : 0) + (present[rule.second] !== undefined ? 1 : 0);
  const holds = rule.kind === "apart" ? count < 2 : (count === 1) === (rule.kind === "one");
  if (!holds) throw new Flaw("bad-value", rule.number, `${rule.second} does not go with ${rule.first} as it is`);
}

function checkedText(field, bytes) {
  // Decoding it would leave a string behind, of a card number for example, that nothing can wipe.
  if (!isUtf8(bytes)) throw breach("text", field, "is not UTF-8");
  return bytes;
}

function range(field) {
  if (field.least === field.most) return `${field.most}`;
  return field.least ? `${field.least} to ${field.most}` : `at most ${field.most}`;
}

function breach(fault, field, text) {
  return new Flaw(fault, field.number, `${field.name} ${text}`);
}
