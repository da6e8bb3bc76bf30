// The golden vectors of PROTOCOL.md section 10, and the table of Apple's JSON that all clients read.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { decode, encode, Flaw } from "../src/codec.js";
import { ReplyError, TokenError } from "../src/errors.js";
import { readHeader, Replies, requestFrame } from "../src/frame.js";
import { enums, messages } from "../src/schema.js";
import { Secret } from "../src/secret.js";
import { Token, unwrapped } from "../src/token.js";

const VECTORS = new URL("../../../proto/vectors/", import.meta.url);

function readVector(name) {
  const vector = { fields: [], bytes: "" };
  for (const line of readFileSync(new URL(name, VECTORS), "utf8").split("\n").slice(0, -1)) {
    const [, key, value] = /^([a-z]+): ?(.*)$/.exec(line);
    if (key === "field") vector.fields.push(value);
    else if (key === "bytes") vector.bytes += value;
    else if (["message", "frame", "expect", "error", "comment"].includes(key) && !(key in vector)) vector[key] = value;
    else assert.fail(line);
  }
  vector.bytes = Buffer.from(vector.bytes, "hex");
  return vector;
}

/** What was decoded as the vectors list it. */
function listing(name, value, prefix = "") {
  return messages[name].fields.flatMap((field) => {
    const snake = field.name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const isMany = field.presence === "repeated" || field.kind === "set";
    const item = value[field.name];
    if (item === undefined || (field.presence !== "optional" && (item === 0 || item === 0n || item === false))) return [];
    return (isMany ? item : [item]).flatMap((element, index) => {
      const path = prefix + snake + (isMany ? `[${index}]` : "");
      return field.kind === "message" ? listing(field.type, element, `${path}.`) : [`${path} = ${shown(field, element)}`];
    });
  });
}

function shown(field, element) {
  const octets = element instanceof Secret ? element.bytes : element;
  if (field.kind === "bytes") return `hex:${Buffer.from(octets).toString("hex")}`;
  if (field.kind === "string") return `text:${element instanceof Secret ? element.text() : element}`;
  return field.kind === "enum" || field.kind === "set" ? enums[field.type][element] : element;
}

/** Frame behind frame, as a client reads them. */
function framesOf(bytes) {
  const replies = new Replies();
  const lines = [];
  // One byte at a time, as they may arrive.
  for (const byte of bytes) {
    replies.push(Buffer.from([byte]));
    const reply = replies.next();
    if (!reply) continue;
    const { status, opcode, requestId, auditSequence } = readHeader(reply);
    const parts = { status: enums.Status[status], opcode, request_id: requestId, audit_sequence: auditSequence ?? 2n ** 64n - 1n };
    const index = lines.length / 5;
    lines.push(...Object.entries(parts).map(([key, value]) => `frame[${index}].${key} = ${value}`));
    lines.push(`frame[${index}].body = hex:${reply.subarray(20).toString("hex")}`);
  }
  if (replies.isAmidst) throw new Flaw("truncated");
  return lines;
}

/** A client writes requests and never reads one: the bytes that come of what is listed. */
function requestsOf(fields) {
  const frames = [];
  for (let at = 0; at < fields.length; at += 5) {
    const [flags, opcode, id, key, body] = fields.slice(at, at + 5).map((line) => line.replace(/^.* = (hex:)?/, ""));
    const frame = requestFrame(Number(opcode), Buffer.from(key, "hex"), [Buffer.from(body, "hex")], Number(flags));
    frame.writeBigUInt64BE(BigInt(id), 8);
    frames.push(frame);
  }
  return Buffer.concat(frames);
}

/** Requests are refused by daemons alone, and messages of operators' operations read by their programs. */
function isOurs(vector) {
  return vector.frame === "request" ? vector.expect === "ok" : !vector.message || vector.message in messages;
}

/** The golden vectors' name of what is wrong. */
function faultOf(body) {
  try {
    body();
  } catch (error) {
    if (error instanceof Flaw) return error.message;
    if (error instanceof ReplyError) return "frame-size";
    throw error;
  }
  return "ok";
}

const FILES = readdirSync(VECTORS).filter((name) => name.endsWith(".txt"));

for (const name of FILES) {
  const vector = readVector(name);
  if (!isOurs(vector)) continue;
  test(`vector ${name}: ${vector.comment ?? ""}`, () => {
    if (vector.expect === "malformed") {
      assert.equal(faultOf(() => (vector.frame ? framesOf(vector.bytes) : decode(vector.message, vector.bytes))), vector.error);
    } else if (vector.frame === "request") {
      assert.deepEqual(requestsOf(vector.fields), vector.bytes);
    } else if (vector.frame) {
      assert.deepEqual(framesOf(vector.bytes), vector.fields);
    } else {
      const value = decode(vector.message, vector.bytes);
      assert.deepEqual(listing(vector.message, value), vector.fields);
      assert.deepEqual(Buffer.concat(encode(vector.message, value)), vector.bytes);
    }
  });
}

test("every message has vectors", () => {
  const vectors = FILES.map(readVector);
  const named = new Set(vectors.map((vector) => vector.message));
  assert.deepEqual(Object.keys(messages).filter((name) => !named.has(name)), []);
  assert.ok(vectors.filter(isOurs).length >= 343);
});

const TABLE = readFileSync(new URL("payment-token-json.table", VECTORS), "utf8")
  .split("\n")
  .filter((line) => line && line[0] !== "#")
  .map((line) => /^(.*?) \| (.*?) \| (.*)$/s.exec(line).slice(1));
const SAID = {
  "not-json": "neither JSON nor base64 of JSON",
  "not-token": "JSON, but no token|no token within so many objects",
  "unknown-version": "neither EC_v1 nor RSA_v1",
  simulator: "a token of Apple's simulator: nothing can open it",
};

for (const [outcome, name, text] of TABLE) {
  test(`JSON: ${name}`, () => {
    const octets = text.startsWith("hex:") ? Buffer.from(text.slice(4), "hex") : Buffer.from(text);
    if (outcome === "ok") {
      const token = { ...unwrapped(octets) };
      const hex = Object.fromEntries(Object.entries(token).map(([part, value]) => [part, value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value]));
      assert.deepEqual(hex, { version: "EC_v1", data: "000102ff", signature: "3080", publicKeyHash: "abcd", transactionId: "00ff", ephemeralPublicKey: "3059" });
      return;
    }
    const [kind, member] = outcome.split(" ");
    const expected = { missing: `the token has no ${member}`, malformed: `${member} is not (base64|hexadecimal|text|an object)`, empty: `${member} is empty`, ...SAID }[kind];
    assert.throws(() => Token.fromApple(octets), (error) => error instanceof TokenError && new RegExp(`^(${expected})$`).test(error.message));
  });
}

test("the whole table of JSON, and what a parser made of it", () => {
  assert.equal(TABLE.length, 121);
  const [, , text] = TABLE[0];
  assert.deepEqual({ ...unwrapped(JSON.parse(text)) }, { ...unwrapped(text) });
  assert.throws(() => Token.fromApple(text), /public_?[kK]ey_?[hH]ash has 2 bytes; it takes 32/); // [WIRE-12]
  for (const wrong of ["\ud800", '{"version":"\ud800"}', 7, true, undefined, [text]]) assert.throws(() => Token.fromApple(wrong), TokenError);
});
