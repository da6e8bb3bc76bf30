// Servers that lie, die, wait and come back.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";

import * as kist from "../src/index.js";
import { requestNumber } from "../src/client.js";
import { FakeServer, refusal } from "./fake.js";

const INDEX = new URL("../src/index.js", import.meta.url).href;
const KEY = Uint8Array.from({ length: 16 }, (_, index) => index);
const TOKEN = new kist.Token({
  version: "EC_v1",
  data: Buffer.from("d"),
  signature: Buffer.from("s"),
  publicKeyHash: new Uint8Array(32),
  transactionId: new Uint8Array(32),
});
const OUTCOMES = {
  malformed: kist.Malformed,
  unsupported: kist.Unsupported,
  denied: kist.Denied,
  rejected: kist.Rejected,
  busy: kist.Busy,
  locked: kist.Locked,
  "audit-unavailable": kist.AuditUnavailable,
  internal: kist.Internal,
  "approval-needed": kist.ApprovalNeeded,
  disconnected: kist.Disconnected,
  reply: kist.ReplyError,
};

/** A server and a client of it, for as long as a test takes. */
async function served(context, how, options = {}) {
  const server = await FakeServer.start(how);
  const client = new kist.Client({ endpoint: server.endpoint, timeout: 2000, ...options });
  context.after(async () => {
    client.close();
    await server.stop();
  });
  return { server, client };
}

/** What a promise rejects with. */
async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail("it did not reject");
}

const bytesOf = (secret) => Buffer.from(secret.bytes).toString("hex");

// Replies

const REPLIES = readFileSync(new URL("../../replies.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line && line[0] !== "#")
  .map((line) => line.split("|").map((part) => part.trim()));
const REJECTIONS = {
  "rejected with a stage": ["signing-time", "nonce", null],
  "rejected with the last field": ["missing-field", "account-surrogate", null],
  "rejected with the last released field": ["not-released", null, "jwe"],
  "rejected with a field of a later daemon": ["missing-field", null, null],
  "rejected with a released field of a later daemon": ["not-released", null, null],
  "rejected with a released field that is none": ["not-released", null, null],
  "rejected with a stage of a later daemon": ["unknown", null, null],
};

for (const [outcome, name, hexadecimal] of REPLIES) {
  test(`reply: ${name}`, async (context) => {
    const { client } = await served(context, { answer: Buffer.from(hexadecimal, "hex") });
    if (outcome === "ok") return assert.equal(bytesOf(await client.random(4)), "01020304");
    const error = await rejection(client.random(4));
    assert.equal(error.constructor, OUTCOMES[outcome], inspect(error));
    assert.equal(error.requestId, 1n);
    if (error instanceof kist.Refused) assert.deepEqual([error.status, error.auditSequence], [outcome, 41n]);
    if (error instanceof kist.Malformed) assert.equal(error.why, name === "malformed, and why" ? "count is 9" : null);
    if (error instanceof kist.Rejected) assert.deepEqual([error.stage, error.field, error.releasedField], REJECTIONS[name] ?? [null, null, null]);
    if (error instanceof kist.Busy && name === "busy, and for how long") assert.equal(error.retryAfter, 250);
    if (error instanceof kist.ApprovalNeeded) assert.deepEqual([error.request, error.until], ["1a2b3c4d", 1767225600n]);
  });
}

test("every outcome is among the replies", () => {
  assert.deepEqual(new Set(REPLIES.map(([outcome]) => outcome)), new Set(["ok", ...Object.keys(OUTCOMES)]));
});

test("fewer bytes than were asked for", async (context) => {
  const { client } = await served(context, { answer: Buffer.from("0000001a01000005000000000000000100000000000000290a0401020304", "hex") });
  assert.equal((await rejection(client.random(5))).constructor, kist.ReplyError);
});

test("busy of the whole connection only at its beginning", async (context) => {
  const { server, client } = await served(context);
  await client.random(1);
  server.how.answer = refusal(5);
  assert.equal((await rejection(client.random(1))).constructor, kist.ReplyError);
});

test("over the caps: what is said to whoever connects is the answer, and nothing was carried out", async (context) => {
  const { client } = await served(context, { greeting: refusal(5) });
  for (let i = 0; i < 20; i++) {
    const error = await rejection(client.random(1));
    assert.equal(error.constructor, kist.Busy);
    assert.ok(error.endsConnection);
  }
});

// The connection

test("200 calls at once: each has its own answer, over one connection", async (context) => {
  const { server, client } = await served(context);
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => client.random((index % 100) + 1)));
  assert.deepEqual(answers.map((answer) => answer.length), Array.from({ length: 200 }, (_, index) => (index % 100) + 1));
  assert.deepEqual([server.connections, server.requests.length], [1, 200]);
});

test("at most 32 are in flight", async (context) => {
  const { server, client } = await served(context, { holds: true });
  const answers = Promise.all(Array.from({ length: 40 }, () => client.random(1)));
  while (server.requests.length < 32) await pause(1);
  await pause(30);
  assert.equal(server.requests.length, 32);
  server.release();
  assert.equal((await answers).length, 40);
});

test("it connects again when the connection has ended, and repeats nothing", async (context) => {
  const { server, client } = await served(context, { hangUpAfter: 1 });
  for (let i = 1; i <= 5; i++) {
    await client.random(1);
    assert.deepEqual([server.connections, server.requests.length], [i, i]);
  }
  server.how = { drops: 6, silences: 0 };
  assert.equal((await rejection(client.random(1))).constructor, kist.Disconnected);
  assert.equal(server.requests.length, 6);
});

test("a connection that ended while nobody called is noticed before the next call", async (context) => {
  const { server, client } = await served(context, { hangUpAfter: 1 });
  for (let i = 0; i < 200; i++) await client.random(1);
  assert.equal(server.requests.length, 200);
});

test("a daemon that dies with calls in flight: each of them fails, none is sent again, and those that wait go on", async (context) => {
  const { server, client } = await served(context, { holds: true });
  const calls = Array.from({ length: 40 }, () => client.random(1).catch((error) => error));
  while (server.requests.length < 32) await pause(1);
  server.how = { drops: 0, silences: 0 };
  for (const socket of server.sockets()) socket.destroy();
  const answers = await Promise.all(calls);
  assert.equal(answers.filter((answer) => answer instanceof kist.Disconnected).length, 32);
  assert.equal(answers.filter((answer) => answer instanceof kist.Secret).length, 8);
});

/** In place of a connection, one that breaks when something is sent. */
class Breaking extends EventEmitter {
  ref() {}
  unref() {}
  cork() {}
  uncork() {}
  destroy() {}
  write(frame, written) {
    const error = Object.assign(new Error("broken"), { code: "EPIPE" });
    process.nextTick(() => {
      written(error);
      this.emit("error", error);
    });
  }
}

/** Lets the first connections break. */
function breaking(context, count) {
  const { connect } = net;
  context.mock.method(net, "connect", (...given) => {
    if (--count < 0) return connect(...given);
    const socket = new Breaking();
    process.nextTick(() => socket.emit("connect"));
    return socket;
  });
}

test("a frame that the kernel did not take was never carried out: it goes out on another connection, once", async (context) => {
  const { server, client } = await served(context);
  breaking(context, 1);
  assert.equal((await client.random(1)).length, 1);
  assert.equal(server.requests.length, 1);
  client.close();
  breaking(context, 2);
  assert.equal((await rejection(client.random(1))).message, "the connection broke: EPIPE");
  assert.equal(server.requests.length, 1);
});

test("of several that went out together nobody knows", async (context) => {
  const { server, client } = await served(context);
  breaking(context, 1);
  const errors = await Promise.all([client.random(1), client.random(2)].map(rejection));
  assert.deepEqual(errors.map((error) => error.constructor), [kist.Disconnected, kist.Disconnected]);
  assert.equal(server.requests.length, 0);
});

test("a full backlog: it waits, for as long as the call may take", async (context) => {
  const { server } = await served(context);
  const path = `${server.folder}/full.sock`;
  const text = `require("node:net").createServer((socket) => socket.on("data", (request) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(20); head[4] = 1; request.copy(head, 6, 6, 8);
    socket.write(Buffer.concat([head, request.subarray(8, 16), Buffer.alloc(8, 0xff)]));
  })).listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => console.log("ready"))`;
  const child = spawn(process.execPath, ["--eval", text]);
  context.after(() => child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.kill("SIGSTOP");
  const others = Array.from({ length: 8 }, () => net.connect(path).on("error", () => {}));
  context.after(() => others.forEach((socket) => socket.destroy()));
  await pause(20);
  const client = new kist.Client({ endpoint: `unix:${path}` });
  context.after(() => client.close());
  const error = await rejection(client.ping({ timeout: 60 }));
  assert.deepEqual([error.constructor, error.code, error.message], [kist.Unreachable, "EAGAIN", `${path}: the daemon takes no more connections`]);
  const waiting = client.ping({ timeout: 5000 });
  await pause(40);
  child.kill("SIGCONT");
  await waiting;
});

test("nobody there, and an endpoint that is none", async (context) => {
  const error = await rejection(new kist.Client({ endpoint: "unix:/nowhere/kist.sock" }).ping());
  assert.deepEqual([error.constructor, error.code, error.message], [kist.Unreachable, "ENOENT", "/nowhere/kist.sock: ENOENT"]);
  const long = await rejection(new kist.Client({ endpoint: `unix:/${"a".repeat(107)}` }).ping());
  assert.equal(long.code, "ENAMETOOLONG");
  for (const endpoint of ["", "unix:", "unix:relative", "tcp:127.0.0.1:1", "/run/kist/kist.sock", "unix:/a\0b", "UNIX:/a"]) {
    assert.throws(() => new kist.Client({ endpoint }), kist.EndpointError, endpoint);
  }
  const { server } = await served(context);
  context.after(() => delete process.env.KIST_ENDPOINT);
  process.env.KIST_ENDPOINT = server.endpoint;
  const client = new kist.Client();
  await client.ping();
  client.close();
  process.env.KIST_ENDPOINT = "tcp:";
  assert.throws(() => new kist.Client(), kist.EndpointError);
});

test("a daemon that goes away for good", async (context) => {
  const { server, client } = await served(context);
  await client.random(1);
  for (const socket of server.sockets()) socket.destroy();
  rmSync(server.folder, { recursive: true });
  assert.equal((await rejection(client.random(1))).constructor, kist.Unreachable);
});

test("closed under way", async (context) => {
  const { server, client } = await served(context, { holds: true });
  const calls = Array.from({ length: 40 }, () => rejection(client.random(1)));
  while (!server.requests.length) await pause(1);
  client.close();
  for (const error of await Promise.all(calls)) assert.equal(error.constructor, kist.Disconnected);
  server.release();
  await client.random(1); // and it goes on
});

// Time-outs and signals

test("a time-out leaves its neighbours alone", async (context) => {
  const { server, client } = await served(context, { holds: true });
  const late = rejection(client.random(1, { timeout: 30 }));
  const other = client.random(2);
  const error = await late;
  assert.deepEqual([error.constructor, error.message, error.requestId], [kist.Timeout, "the reply did not come in time", 1n]);
  server.release();
  assert.equal((await other).length, 2);
  assert.equal((await client.random(3)).length, 3);
  assert.equal(server.connections, 1);
});

test("a connection on which nobody waits any more is replaced", async (context) => {
  const { server, client } = await served(context, { silences: 1 });
  assert.equal((await rejection(client.random(1, { timeout: 30 }))).constructor, kist.Timeout);
  assert.equal((await client.random(1)).length, 1);
  assert.equal(server.connections, 2);
});

test("a signal ends a call with its reason: before, while it waits, and in flight", async (context) => {
  const { server, client } = await served(context, { holds: true });
  const reason = new Error("the customer left");
  assert.equal(await rejection(client.random(1, { signal: AbortSignal.abort(reason) })), reason);
  assert.equal(server.requests.length, 0);
  const aborter = new AbortController();
  const others = Array.from({ length: 32 }, () => client.random(1));
  const waiting = rejection(client.random(7, { signal: aborter.signal }));
  const flying = rejection(client.random(8, { signal: AbortSignal.timeout(40) }));
  while (server.requests.length < 32) await pause(1);
  aborter.abort(reason);
  assert.equal(await waiting, reason);
  assert.equal((await flying).name, "TimeoutError");
  server.release();
  assert.equal((await Promise.all(others)).length, 32);
  assert.equal(server.requests.length, 32); // what was given up before its turn is not sent
});

test("a signal that is kept for many calls collects no listeners", async (context) => {
  const { client } = await served(context);
  const { signal } = new AbortController();
  let listeners = 0;
  for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
    const own = signal[name];
    signal[name] = (...given) => {
      listeners += step;
      own.apply(signal, given);
    };
  }
  for (let i = 0; i < 20; i++) await client.random(1, { signal });
  assert.equal(listeners, 0);
});

test("time-outs and request ids that are none", () => {
  for (const timeout of [0, -1, NaN, Infinity, "10", 2 ** 31, true]) assert.throws(() => new kist.Client({ timeout }), RangeError, `${timeout}`);
  for (const wrong of [0, -1, 1.5, 2 ** 53, 2n ** 64n, null, true, {}]) assert.throws(() => requestNumber(wrong), RangeError);
  assert.deepEqual([7, 7n, 2n ** 64n - 1n, "00000000000000ff", "0000000000000000"].map(requestNumber), [7n, 7n, 2n ** 64n - 1n, 255n, 0xfcdb4b423f4e5283n]);
});

test("a call's own id goes out, and every error has it", async (context) => {
  const { server, client } = await served(context);
  await client.random(1, { requestId: "order-17" });
  assert.equal(server.requests[0].readBigUInt64BE(4), requestNumber("order-17"));
  server.how.silences = 9;
  const early = await rejection(client.random(1, { requestId: 5, timeout: 20 }));
  assert.deepEqual([early.constructor, early.requestId], [kist.Timeout, 5n]);
  assert.equal((await rejection(client.random(0, { requestId: 5 }))).constructor, kist.RequestError);
});

// Retrying

const opening = (client, what, request, options) =>
  what === "token"
    ? client.openPaymentToken(TOKEN, request, options)
    : client.openEnvelope(KEY, { ...request, envelope: Buffer.from("e"), merchantIdentifier: "m", transactionId: new Uint8Array(32) }, options);

for (const [what, number] of [["token", 7], ["envelope", 6]]) {
  for (const [drops, silences, request, options, expected, sent] of [
    [0, 0, {}, { retry: true }, null, 1],
    [1, 0, {}, { retry: true }, null, 2],
    [0, 1, { retryKey: KEY }, { retry: true }, null, 2],
    [2, 0, { retryKey: KEY }, { retry: true }, kist.Disconnected, 2],
    [0, 9, {}, { retry: true }, kist.Timeout, 2],
    [1, 0, { retryKey: KEY }, {}, kist.Disconnected, 1],
    [1, 0, {}, {}, kist.Disconnected, 1],
  ]) {
    test(`${what}, ${drops} dropped, ${silences} unanswered, ${JSON.stringify(options)}${request.retryKey ? ", own key" : ""}`, async (context) => {
      const { server, client } = await served(context, { drops, silences }, { timeout: 150 });
      const answer = await opening(client, what, request, options).catch((error) => error);
      assert.equal(answer instanceof Error ? answer.constructor : null, expected, inspect(answer));
      assert.deepEqual([server.requests.length, server.connections], [sent, sent]);
      const bodies = server.requests.map((each) => each.subarray(28));
      for (const body of bodies) assert.deepEqual(body, bodies[0]); // the same request, byte for byte
      const tail = bodies[0].subarray(-18);
      const hasKey = options.retry || request.retryKey !== undefined;
      assert.equal(tail[0] === ((number << 3) | 2) && tail[1] === 16, hasKey);
      if (request.retryKey) assert.deepEqual(new Uint8Array(tail.subarray(2)), KEY);
      if (answer instanceof Error) assert.deepEqual(answer.retryKey, hasKey ? new Uint8Array(tail.subarray(2)) : null);
    });
  }
}

for (const [drops, silences, status, wait, expected, cause] of [
  [1, 0, 6, 0, kist.Disconnected, kist.Locked],
  [0, 1, 6, 0, kist.Timeout, kist.Locked],
  [1, 0, 7, 0, kist.Disconnected, kist.AuditUnavailable],
  [1, 0, 5, 0, kist.Disconnected, kist.Busy],
  [1, 0, 5, 100, kist.Busy, null],
  [1, 0, 4, 0, kist.Rejected, null],
  [0, 0, 6, 0, kist.Locked, null],
  [0, 0, 5, 0, kist.Busy, null],
]) {
  test(`what a daemon says the second time: ${status}, ${wait}, after ${drops} dropped and ${silences} unanswered`, async (context) => {
    const { client } = await served(context, { drops, silences, answer: refusal(status, { wait }) }, { timeout: 150 });
    const error = await rejection(client.openPaymentToken(TOKEN, { retryKey: KEY }, { retry: true }));
    assert.deepEqual([error.constructor, error.cause?.constructor ?? null, error.retryKey], [expected, cause, KEY]);
  });
}

test("a daemon that does not come back: the first request may have been carried out", async (context) => {
  const { server, client } = await served(context, { drops: 1 });
  server.listener.on("connection", () => rmSync(server.folder, { recursive: true, force: true }));
  const error = await rejection(client.openPaymentToken(TOKEN, {}, { retry: true }));
  assert.deepEqual([error.constructor, error.cause.constructor], [kist.Disconnected, kist.Unreachable]);
});

test("retry keys differ", async (context) => {
  const { server, client } = await served(context);
  await Promise.all(Array.from({ length: 100 }, () => client.openPaymentToken(TOKEN, {}, { retry: true })));
  assert.equal(new Set(server.requests.map((request) => request.subarray(-16).toString("hex"))).size, 100);
});

test("a call that its caller gives up is not sent again", async (context) => {
  const { server, client } = await served(context, { silences: 9 });
  const error = await rejection(client.openPaymentToken(TOKEN, {}, { retry: true, signal: AbortSignal.timeout(50) }));
  assert.equal(error.name, "TimeoutError");
  assert.equal(server.requests.length, 1);
});

// Values

test("values are sent as they are, or refused", async (context) => {
  const { server, client } = await served(context);
  const open = (request) => client.openPaymentToken(TOKEN, request);
  for (const wrong of [14.99, "1499", NaN, -1, -1n, true, 2 ** 53, [1499], 2n ** 64n]) {
    assert.equal((await rejection(open({ expectedAmount: wrong }))).constructor, TypeError, inspect(wrong));
  }
  for (const release of ["dpan", 1, { 0: "dpan" }]) assert.equal((await rejection(open({ release }))).constructor, TypeError);
  for (const release of [["jwe"], ["DPAN"], [1], ["payment-envelope"], ["__proto__"]]) {
    assert.match((await rejection(open({ release }))).message, /^openPaymentToken: release is none of /, inspect(release));
  }
  for (const key of [KEY.subarray(1), new Uint8Array(17)]) {
    assert.equal((await rejection(client.describeKey(key))).message, `a key's id has 16 bytes, not ${key.length}`);
  }
  for (const wrong of ["text", [1], 7, new ArrayBuffer(16), null, undefined]) assert.equal((await rejection(client.describeKey(wrong))).constructor, TypeError);
  for (const plaintext of ["text", [1], new Uint16Array(4), {}]) assert.equal((await rejection(client.seal(KEY, { plaintext }))).constructor, TypeError);
  assert.equal((await rejection(client.sign(KEY, { scheme: "ed25519", message: KEY, digested: 1 }))).constructor, TypeError);
  // A name that is none would leave out what the caller wants to be checked.
  assert.match((await rejection(open({ amount: 1499 }))).message, /^OpenPaymentTokenRequest has no amount; it takes token, release, expectedCurrency/);
  assert.match((await rejection(client.random(1, { retry: true }))).message, /^a call has no option retry/);
  assert.equal((await rejection(client.kdf(KEY, { handle: KEY, derivation: "x963-sha256", count: 16, otherInfo: { info: KEY } }))).constructor, TypeError);
  assert.equal(server.requests.length, 0);
});

test("what breaks a bound names field and bound, and nothing is sent", async (context) => {
  const { server, client } = await served(context);
  const said = async (promise) => (await rejection(promise)).message;
  assert.equal(await said(client.random(1025)), "random: count is 1025; it takes 1 to 1024");
  assert.equal(await said(client.random(0)), "random: count is missing");
  assert.equal(await said(client.openPaymentToken(new kist.Token({ ...TOKEN, transactionId: KEY }))), "openPaymentToken: token.transactionId has 16 bytes; it takes 32");
  assert.equal(await said(client.unseal(KEY, { sealed: KEY, iv: new Uint8Array(13) })), "unseal: iv has 13 bytes; it takes 12 or 16");
  assert.equal(await said(client.mac(KEY, { handle: KEY, message: KEY })), "mac: algorithm does not go with handle as it is");
  assert.equal(await said(client.tokenise(KEY, { pan: "1", lifetime: 5 })), "tokenise: lifetime does not go with transactionId as it is");
  assert.equal(await said(client.kdf(KEY, { handle: KEY, derivation: "x963-sha256", count: 16, info: KEY, otherInfo: { algorithmId: KEY } })), "kdf: otherInfo does not go with info as it is");
  assert.equal(await said(client.provisionPass(null, { certificates: [KEY, KEY, KEY, KEY], scheme: "ev-ecc-v2", configuration: "account-number" })), "provisionPass: certificates has 4 elements; it takes at most 3");
  assert.equal(await said(client.listKeys({ prefix: "\ud800" })), "listKeys: prefix is not Unicode");
  assert.equal(await said(client.listKeys({ prefix: Buffer.from([0xff]) })), "listKeys: prefix is not UTF-8");
  assert.equal(await said(client.findKey("")), "findKey: pattern is missing");
  assert.equal(server.requests.length, 0);
});

test("the caller's bytes may change as soon as the call is made, and what is sent is wiped", async (context) => {
  const { server, client } = await served(context);
  const plaintext = Buffer.from("a secret of a caller");
  const frames = [];
  const { alloc } = Buffer;
  context.after(() => (Buffer.alloc = alloc));
  Buffer.alloc = (...given) => {
    const made = alloc(...given);
    if (given[0] > plaintext.length) frames.push(made);
    return made;
  };
  const call = client.seal(KEY, { plaintext });
  plaintext.fill(0);
  await call.catch(() => {});
  Buffer.alloc = alloc;
  assert.ok(server.requests[0].includes("a secret of a caller"));
  await pause(1);
  assert.ok(frames.length >= 2 && !frames.some((frame) => frame.includes("a secret of a caller")));
});

test("secrets are printed nowhere, and can be wiped", async (context) => {
  const { client } = await served(context, { answer: Buffer.from("0000001a01000005000000000000000100000000000000290a0461626364", "hex") });
  const secret = await client.random(4);
  assert.equal(secret.text(), "abcd");
  for (const shown of [inspect(secret), `${secret}`, JSON.stringify({ secret }), inspect({ deep: [secret] }, { showHidden: true, depth: 9 })]) {
    assert.ok(!shown.includes("abcd") && !shown.includes("61"), shown);
  }
  kist.wipeSecrets({ secret, other: 1 });
  assert.equal(bytesOf(secret), "00000000");
});

test("a listing that does not go on", async (context) => {
  for (const labels of [["b", "a"], ["a", "a"]]) {
    const body = Buffer.from(labels.flatMap((label) => [0x0a, 21, 0x0a, 16, ...KEY, 0x12, 1, label.charCodeAt(0)]));
    const frame = Buffer.concat([Buffer.alloc(24), body]);
    frame.writeUInt32BE(frame.length - 4, 0);
    frame[4] = 1;
    frame.writeUInt16BE(3, 6);
    frame.writeBigUInt64BE(1n, 8);
    const { client } = await served(context, { answer: frame });
    assert.equal((await rejection(client.keys())).message, "a listing whose labels do not ascend");
  }
});

// Other processes and threads

/** A program's output and exit code. */
function run(text, server, ...flags) {
  const child = spawn(process.execPath, [...flags, "--input-type=module", "--eval", text], { env: { ...process.env, KIST_ENDPOINT: server.endpoint } });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => child.on("close", (code) => resolve([output.trim(), code])));
}

test("an idle connection keeps no program from ending, and a call does", async (context) => {
  const { server } = await served(context);
  const text = `import { Client } from "${INDEX}"; const client = new Client(); client.random(3).then((drawn) => console.log(drawn.length));`;
  assert.deepEqual(await run(text, server), ["3", 0]);
});

test("cluster: workers and their primary have connections of their own", async (context) => {
  const { server } = await served(context);
  const text = `
    import { Client } from "${INDEX}";
    import cluster from "node:cluster";
    const client = new Client();
    await client.random(cluster.isPrimary ? 1 : 2);
    if (cluster.isPrimary) for (let i = 0; i < 3; i++) cluster.fork();
    await client.random(cluster.isPrimary ? 1 : 2);
    console.log("done");
    if (!cluster.isPrimary) process.exit(0);`;
  const file = `${server.folder}/cluster.mjs`;
  writeFileSync(file, text);
  const child = spawn(process.execPath, [file], { env: { ...process.env, KIST_ENDPOINT: server.endpoint } });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
  assert.equal(output, "done\n".repeat(4));
  assert.equal(server.connections, 4);
});

test("worker threads each have a client of their own", async (context) => {
  const { server } = await served(context);
  const text = `
    const { parentPort, workerData } = require("node:worker_threads");
    import("${INDEX}").then(async ({ Client }) => {
      const client = new Client({ endpoint: workerData });
      const drawn = await Promise.all(Array.from({ length: 50 }, () => client.random(2)));
      parentPort.postMessage(drawn.length);
    });`;
  const workers = Array.from({ length: 3 }, () => new Worker(text, { eval: true, workerData: server.endpoint }));
  const counts = await Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject))));
  assert.deepEqual(counts, [50, 50, 50]);
  assert.deepEqual([server.connections, server.requests.length], [3, 150]);
});

// JWS

test("a JWS of a partner", () => {
  const input = kist.jwsInput("ed25519", Buffer.from("{}"), { kid: "k" });
  assert.equal(Buffer.from(input).toString(), "eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30");
  assert.equal(kist.jwsCompact(input, Uint8Array.of(1, 2, 3)), "eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.AQID");
  for (const scheme of ["none", "ecdsa-p256-sha256", "toString"]) assert.throws(() => kist.jwsInput(scheme, Buffer.from("")), RangeError);
  for (const header of [{ alg: "none" }, { jku: "x" }, { crit: [] }]) assert.throws(() => kist.jwsInput("ed25519", Buffer.from(""), header), RangeError);
});
