// Every operation and every status against a real daemon, and one that is killed and comes back. Peers are made with Node's own cryptography.

import assert from "node:assert/strict";
import * as crypto from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { inspect } from "node:util";

import { Connection } from "../src/connection.js";
import { socketPath } from "../src/endpoint.js";
import { Request, requestFrame } from "../src/frame.js";
import * as kist from "../src/index.js";
import { operations } from "../src/schema.js";
import { Sandbox, SandboxError } from "../src/testing.js";

const PROGRAM = process.env.KIST_PROGRAM ?? new URL("../../../.build/debug/kist", import.meta.url).pathname;
const PAN = "4109370251004320";
const MERCHANT = "merchant.com.acme";
const SYMMETRIC = Buffer.from(Array.from({ length: 32 }, (_, index) => index + 1));
const CODES = { digits: 6, hash: "sha1", window: 3, failures: 3, lockout: 60 };
const WITHOUT_GRANT = ["ping", "ready", "status", "unlock", "lock", "importKey", "detokenise", "openEnvelope"];
const words = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const POLICY = `
[[grant]]
id = "everything"
users = [${process.getuid()}]
operations = ${JSON.stringify(Object.keys(operations).filter((name) => !WITHOUT_GRANT.includes(name)).map(words))}
keys = ["test/*"]
release = ["shared-secret", "derived-key"]
stages = true
quota = "1000000000/d"

[[grant]]
id = "reveal"
users = [${process.getuid()}]
operations = ["detokenise", "open-envelope"]
keys = ["test/*"]
release = ["dpan"]
stages = true
`;

const agreement = crypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const unwrapping = crypto.generateKeyPairSync("rsa", { modulusLength: 2048 });
const der = ({ privateKey }, type) => privateKey.export({ type, format: "der" });

/** Imports a key of each role; their ids by name. */
async function importKeys(sandbox) {
  const materials = {
    agreement: ["agreement", der(agreement, "sec1")],
    unwrapping: ["unwrapping-rsa", der(unwrapping, "pkcs1")],
    signing: ["signing-ecdsa", der(crypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" }), "sec1")],
    sealing: ["sealing", SYMMETRIC],
    unsealing: ["unsealing", Buffer.from(SYMMETRIC).reverse()],
    mac: ["mac-hmac-sha256", Buffer.concat([SYMMETRIC.subarray(8), SYMMETRIC.subarray(0, 8)])],
    surrogate: ["surrogate", Buffer.concat([SYMMETRIC.subarray(16), SYMMETRIC.subarray(0, 16)])],
    visa: ["otp-visa", Buffer.from("0123456789abcdeffedcba9876543210", "hex"), { keySet: "123456.1" }],
    mastercard: ["otp-mastercard", der(crypto.generateKeyPairSync("rsa", { modulusLength: 2048 }), "pkcs1"), { keyAlias: "issuer.1" }],
    hotp: ["otp-hotp", Buffer.from("12345678901234567890"), CODES],
  };
  const operator = sandbox.operator();
  const keys = {};
  for (const [name, [role, privateKey, otp]] of Object.entries(materials)) {
    const made = await operator.importKey({ label: `test/${name}`, role, privateKey, otp, activate: true });
    keys[name] = made.id;
  }
  operator.close();
  return keys;
}

const carriedOut = new Set();
let sandbox;
let client;
let keys;

before(async () => {
  sandbox = await Sandbox.start({ program: PROGRAM, policy: POLICY });
  keys = await importKeys(sandbox);
  client = noting(sandbox.client());
});

after(() => sandbox?.remove());

/** The same client, which notes the operations that succeed. */
function noting(client) {
  return new Proxy(client, {
    get: (_, name) => {
      const method = client[name];
      if (typeof method !== "function") return method;
      return async (...given) => {
        const answer = await method.apply(client, given);
        carriedOut.add(name);
        return answer;
      };
    },
  });
}

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  assert.fail("it did not reject");
}

/** Asserts that it is rejected at a stage. */
async function rejectedAt(stage, promise) {
  const error = await rejection(promise);
  assert.deepEqual([error.constructor, error.stage], [kist.Rejected, stage], inspect(error));
  return error;
}

const equalBytes = (secret, expected) => assert.deepEqual(Buffer.from(secret.bytes ?? secret), Buffer.from(expected));
const sha256 = (...parts) => crypto.createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();

function gcmOpen(key, iv, sealed, data = Buffer.alloc(0)) {
  const opening = crypto.createDecipheriv("aes-256-gcm", key, iv).setAAD(data).setAuthTag(sealed.subarray(-16));
  return Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
}

function gcmSeal(key, iv, text, data = Buffer.alloc(0)) {
  const sealing = crypto.createCipheriv("aes-256-gcm", key, iv).setAAD(data);
  return Buffer.concat([sealing.update(text), sealing.final(), sealing.getAuthTag()]);
}

test("general", async () => {
  await client.ping();
  await client.ready();
  const description = await client.describe();
  assert.ok(description.rehearsal && description.wireVersion === 1 && description.auditSequence > 0n);
  const named = new Map(description.operations.map((each) => [each.name, each.opcode]));
  for (const [name, { opcode }] of Object.entries(operations)) assert.equal(named.get(words(name)), opcode, name);
  for (const count of [1, 16, 1024]) assert.equal((await client.random(count)).length, count);
  const who = await client.who();
  assert.equal(who.uid, process.getuid());
  assert.ok(who.rights.some((right) => right.operations.includes("who") && right.keys.length));
  const { digest } = await client.auditDigest({ field: "pan", value: Buffer.from(PAN) });
  assert.match(digest, /^hmac-sha256:[0-9a-f]{64}$/);
});

test("keys", async () => {
  const labels = (await client.keys({ prefix: "test/" })).map((key) => key.label);
  assert.deepEqual(labels, Object.keys(keys).map((name) => `test/${name}`).sort());
  const page = await client.listKeys({ prefix: "test/", after: "test/mac" });
  assert.deepEqual(page.keys.map((key) => key.label), labels.filter((label) => label > "test/mac"));
  assert.equal(page.more, false);
  assert.deepEqual((await client.findKey("test/hotp")).id, keys.hotp);
  assert.deepEqual((await rejection(client.findKey("test/*"))).labels, labels);
  assert.equal((await rejection(client.findKey("test/none"))).constructor, kist.NoSuchKey);
  const key = await client.describeKey(keys.agreement);
  assert.deepEqual([key.label, key.role, key.state, key.algorithm, key.certificate], ["test/agreement", "agreement", "active", "P-256", undefined]);
  equalBytes(key.id, sha256(key.publicKey).subarray(0, 16));
  const { otp } = await client.describeKey(keys.hotp);
  assert.deepEqual({ ...otp }, { ...CODES, step: 0 });
});

for (const version of ["EC_v1", "RSA_v1"]) {
  test(`tokens of ${version}`, async () => {
    const token = await sandbox.token({ version, amount: 1499, pan: PAN });
    const { signingTime } = await client.verifyPaymentToken(null, { token });
    assert.ok(Math.abs(Number(signingTime) - Date.now() / 1000) < 300);
    const lacking = await rejectedAt("not-released", client.openPaymentToken(token, { release: ["last4"], required: ["last4", "dpan"] }));
    assert.equal(lacking.releasedField, "dpan");
    const wanted = { release: ["amount", "last4", "dpan"], required: ["dpan", "amount"], expectedCurrency: "840", expectedAmount: 1499n };
    const opened = await client.openPaymentToken(token, wanted, { requestId: `order ${version}` });
    assert.deepEqual([opened.dpan.text(), opened.last4, opened.amount, opened.cryptogram], [PAN, PAN.slice(-4), 1499n, undefined]);
    kist.wipeSecrets(opened);
    equalBytes(opened.dpan, Buffer.alloc(PAN.length));
    assert.ok(opened.auditSequence > 0n);
    const replay = await rejection(client.openPaymentToken(token));
    assert.ok(replay instanceof kist.Rejected && replay.auditSequence > opened.auditSequence && replay.stage === null);
    assert.equal((await client.openPaymentToken(await sandbox.token({ version, amount: 0 }))).amount, 0n);
  });
}

test("a token that is opened again with its retry key", async () => {
  const token = await sandbox.token({ amount: 5 });
  const request = { retryKey: crypto.randomBytes(16) };
  assert.equal((await client.openPaymentToken(token, request)).amount, 5n);
  assert.equal((await client.openPaymentToken(token, request)).amount, 5n);
  assert.ok((await rejection(client.openPaymentToken(token, { retryKey: crypto.randomBytes(16) }))) instanceof kist.Rejected);
});

test("passes", async () => {
  const asked = await sandbox.passRequest();
  const made = await client.provisionPass(keys.visa, {
    scheme: "ev-ecc-v2",
    configuration: "account-number",
    certificates: asked.certificates.map((text) => Buffer.from(text, "base64")),
    nonce: Buffer.from(asked.nonce, "base64"),
    nonceSignature: Buffer.from(asked.nonceSignature, "base64"),
    primaryAccountNumber: PAN,
    expiration: "12/30",
    name: "A. Card",
    visa: { type: "mbpac", authenticationCode: "abc123" },
  });
  const leaf = crypto.createPrivateKey({ key: readFileSync(`${sandbox.directory}/pki/provisioning-leaf.key`), format: "der", type: "sec1" });
  const prefix = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");
  const peer = crypto.createPublicKey({ key: Buffer.concat([prefix, made.ephemeralPublicKey]), format: "der", type: "spki" });
  const shared = crypto.diffieHellman({ privateKey: leaf, publicKey: peer });
  const key = sha256([0, 0, 0, 1], shared, "\x0did-aes256-GCM", "Apple", made.ephemeralPublicKey);
  assert.ok(gcmOpen(key, Buffer.alloc(12), Buffer.from(made.encryptedPassData)).includes(PAN));
  assert.ok(Buffer.from(made.activationData).toString().startsWith("MBPAC-1-FK-123456.1--TDEA-"));
  const trace = await client.provisionTrace({
    recipient: made.ephemeralPublicKey,
    ephemeralPrivateKey: Buffer.concat([Buffer.alloc(31), Buffer.of(7)]),
    passData: Buffer.from("pass data"),
  });
  assert.deepEqual([trace.otherInfo.length, trace.encryptedPassData.length], [84, 9 + 16]);
});

test("one-time values", async () => {
  const visa = await client.signOtp(keys.visa, { visa: { type: "mbpac", nonce: Buffer.from("nonce"), authenticationCode: "abc123" } });
  assert.ok(visa.otp.text().startsWith("MBPAC-1-FK-123456.1--TDEA-") && visa.counter === undefined);
  const value = await client.signOtp(keys.mastercard, { mastercard: { version: 3, accountNumber: PAN, expiry: "1230" } });
  assert.ok(value.otp.text().includes('"signature"'));
  const subject = `person ${process.hrtime.bigint()}`;
  const first = await client.signOtp(keys.hotp, { subject });
  assert.deepEqual([first.counter, first.otp.length], [0n, 6]);
  assert.equal((await client.verifyOtp(keys.hotp, { subject, code: first.otp })).counter, 0n);
  await rejectedAt("otp-code", client.verifyOtp(keys.hotp, { subject, code: first.otp.text() }));
  const enrolled = await client.enrolAuthenticator(keys.hotp, { subject, retryKey: crypto.randomBytes(16) });
  assert.deepEqual([enrolled.number, enrolled.secret.length, enrolled.otp.digits], [1, 20, 6]);
});

test("agreement, derivation and handles", async () => {
  const peer = crypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const point = peer.publicKey.export({ type: "spki", format: "der" }).subarray(-65);
  const shared = crypto.diffieHellman({ privateKey: peer.privateKey, publicKey: agreement.publicKey });
  equalBytes((await client.ecdh(keys.agreement, { peer: point, release: true })).sharedSecret, shared);
  const derived = sha256([0, 0, 0, 1], shared, "\x0did-aes256-GCMAppleparty");
  const handle = async () => (await client.ecdh(keys.agreement, { peer: point })).handle;
  const parts = { algorithmId: Buffer.from("\x0did-aes256-GCM"), partyUInfo: Buffer.from("Apple"), partyVInfo: Buffer.from("party") };
  const how = { derivation: "one-step-sha256", count: 32 };
  equalBytes((await client.kdf(keys.agreement, { ...how, handle: await handle(), otherInfo: parts, release: true })).derivedKey, derived);
  const held = (await client.kdf(keys.agreement, { ...how, handle: await handle(), info: Buffer.from("\x0did-aes256-GCMAppleparty") })).handle;
  const [message, expected] = [Buffer.from("message"), crypto.createHmac("sha256", derived).update("message").digest()];
  equalBytes((await client.mac(keys.agreement, { handle: held, algorithm: "hmac-sha256", message })).mac, expected);
  await client.verifyMac(keys.agreement, { handle: held, algorithm: "hmac-sha256", message, mac: expected.subarray(0, 16), length: 16 });
  const data = { associatedData: Buffer.from("data") };
  const { sealed } = await client.seal(keys.agreement, { handle: held, plaintext: Buffer.from("ours"), ...data });
  equalBytes((await client.unseal(keys.agreement, { handle: held, sealed, ...data })).plaintext, "ours");
  const aad = Buffer.concat([Buffer.from(sealed.subarray(0, 29)), Buffer.from("data")]);
  equalBytes(gcmOpen(derived, sealed.subarray(17, 29), Buffer.from(sealed.subarray(29)), aad), "ours");
  const theirs = gcmSeal(derived, Buffer.alloc(12), "theirs", Buffer.from("data"));
  equalBytes((await client.unseal(keys.agreement, { handle: held, iv: Buffer.alloc(12), sealed: theirs, ...data })).plaintext, "theirs");
  const wrapped = crypto.publicEncrypt({ key: unwrapping.publicKey, oaepHash: "sha256" }, SYMMETRIC);
  const unwrapped = await client.unwrap(keys.unwrapping, { wrappedKey: wrapped });
  await client.releaseHandle(keys.unwrapping, { handle: unwrapped.handle });
  assert.equal((await rejection(client.releaseHandle(keys.unwrapping, { handle: unwrapped.handle }))).constructor, kist.Denied);
});

test("sealing", async () => {
  for (const plaintext of [Buffer.alloc(0), Buffer.from("secret"), Buffer.alloc(65536, 1)]) {
    const associatedData = Buffer.from("data");
    const { sealed } = await client.seal(keys.sealing, { plaintext, associatedData });
    const opened = await client.unseal(keys.sealing, { sealed, associatedData });
    equalBytes(opened.plaintext ?? new Uint8Array(), plaintext);
    await rejectedAt("tag", client.unseal(keys.sealing, { sealed, associatedData: Buffer.from("other") }));
  }
  const foreign = gcmSeal(Buffer.from(SYMMETRIC).reverse(), Buffer.alloc(12), "theirs");
  equalBytes((await client.unseal(keys.unsealing, { sealed: foreign, iv: Buffer.alloc(12) })).plaintext, "theirs");
});

test("signatures and codes", async () => {
  const scheme = "ecdsa-p256-sha256";
  const message = Buffer.from("message");
  const { publicKey } = await client.describeKey(keys.signing);
  const { signature } = await client.sign(keys.signing, { scheme, message });
  const key = crypto.createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
  assert.ok(crypto.verify("sha256", message, key, signature));
  await client.verify(keys.signing, { scheme, message, signature });
  await client.verify(keys.signing, { scheme, message: sha256(message), digested: true, signature });
  await rejectedAt("signature", client.verify(keys.signing, { scheme, message: Buffer.from("other"), signature }));
  await rejectedAt("parameters", client.sign(keys.signing, { scheme: "ed25519", message }));
  const { mac } = await client.mac(keys.mac, { message, length: 16 });
  equalBytes(mac, crypto.createHmac("sha256", Buffer.concat([SYMMETRIC.subarray(8), SYMMETRIC.subarray(0, 8)])).update(message).digest().subarray(0, 16));
  await client.verifyMac(keys.mac, { message, mac: mac.bytes, length: 16 });
  await rejectedAt("mac", client.verifyMac(keys.mac, { message: Buffer.from("other"), mac: mac.bytes, length: 16 }));
});

test("in place of a PAN", async () => {
  const { surrogate } = await client.tokenise(keys.surrogate, { pan: PAN, merchantIdentifier: MERCHANT });
  assert.ok(surrogate.length === PAN.length && surrogate.endsWith(PAN.slice(-4)) && surrogate !== PAN);
  assert.equal((await client.detokenise(keys.surrogate, { surrogate, merchantIdentifier: MERCHANT })).pan.text(), PAN);
  const transactionId = Buffer.alloc(32, 1);
  const { envelope } = await client.tokenise(keys.sealing, { pan: Buffer.from(PAN), merchantIdentifier: MERCHANT, transactionId, lifetime: 60 });
  const request = { envelope, merchantIdentifier: MERCHANT, transactionId };
  const opened = await client.openEnvelope(keys.sealing, { ...request, required: ["dpan"] }, { retry: true });
  assert.deepEqual([opened.dpan.text(), opened.last4, opened.signingTime], [PAN, undefined, 0n]);
  await rejectedAt("envelope", client.openEnvelope(keys.sealing, { ...request, transactionId: Buffer.alloc(32, 2) }));
  assert.equal((await rejectedAt("not-released", client.openEnvelope(keys.sealing, { ...request, required: ["eci"] }))).releasedField, "eci");
});

test("operators", async () => {
  const operator = noting(sandbox.operator());
  const report = await operator.status();
  assert.ok(report.state === "serving" && report.rehearsal && report.auditSize > 0n && report.auditRoot.length === 32);
  carriedOut.add("importKey"); // by every test
  await rejectedAt("passphrase", operator.unlock({ passphrase: Buffer.from("passphrase") }));
  carriedOut.add("unlock");
  assert.equal((await rejection(client.status())).constructor, kist.Denied);
});

test("every operation was carried out", () => {
  carriedOut.add("lock"); // by the test of statuses
  assert.deepEqual(Object.keys(operations).filter((name) => !carriedOut.has(name)), []);
});

test("statuses", async (context) => {
  const other = await Sandbox.start({ program: PROGRAM, policy: POLICY });
  context.after(() => other.remove());
  const ids = await importKeys(other);
  const own = other.client();
  const connection = new Connection(socketPath(other.endpoint));
  const raw = (opcode, body) => {
    const request = new Request("ping");
    request.operation = { ...operations.ping, opcode };
    request.frame = (id) => {
      const frame = requestFrame(opcode, null, [body]);
      frame.writeBigUInt64BE(id, 8);
      return frame;
    };
    return connection.call(request, { timeout: 5000 });
  };
  assert.equal((await rejection(raw(0x0999, Buffer.alloc(0)))).constructor, kist.Unsupported);
  const malformed = await rejection(raw(0x0005, Buffer.of(8, 0)));
  assert.ok(malformed instanceof kist.Malformed && malformed.why, inspect(malformed));
  assert.equal((await rejection(raw(0x0999, Buffer.alloc(0)))).constructor, kist.Unsupported); // on another connection
  const denied = await rejection(own.describeKey(Buffer.alloc(16, 1)));
  assert.ok(denied instanceof kist.Denied && denied.auditSequence > 0n);
  const peer = crypto.generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({ type: "spki", format: "der" });
  for (let i = 0; i < 16; i++) await own.ecdh(ids.agreement, { peer });
  const busy = await rejection(own.ecdh(ids.agreement, { peer }));
  assert.deepEqual([busy.constructor, busy.retryAfter], [kist.Busy, 1000]);
  const operator = other.operator();
  await operator.lock();
  assert.equal((await rejection(own.random(1))).constructor, kist.Locked);
  assert.equal((await rejection(own.ready())).constructor, kist.Locked);
  assert.equal((await operator.status()).state, "locked");
});

test("killed with calls in flight, started again, and without its log", async (context) => {
  const other = await Sandbox.start({ program: PROGRAM, policy: POLICY });
  context.after(() => other.remove());
  const own = other.client();
  const calls = Array.from({ length: 2000 }, () => own.random(16).catch((error) => error));
  await calls[100];
  await other.kill();
  const answers = await Promise.all(calls);
  const kinds = new Set(answers.map((answer) => answer.constructor));
  assert.ok(kinds.has(kist.Secret), "none was answered");
  assert.deepEqual([...kinds].filter((kind) => ![kist.Secret, kist.Disconnected, kist.Unreachable].includes(kind)), []);
  assert.equal((await rejection(own.ping())).constructor, kist.Unreachable);
  await other.start();
  assert.equal((await own.random(16)).length, 16);
  for (const name of readdirSync(`${other.directory}/audit`)) if (name.endsWith(".log")) rmSync(`${other.directory}/audit/${name}`);
  assert.equal((await rejection(own.random(1))).constructor, kist.AuditUnavailable);
  assert.equal((await rejection(own.ready())).constructor, kist.AuditUnavailable);
});

test("200 calls at once share a connection and commits", async () => {
  const sizes = Array.from({ length: 200 }, (_, index) => index + 1);
  const drawn = await Promise.all(sizes.map((count) => client.random(count)));
  assert.deepEqual(drawn.map((each) => each.length), sizes);
});

test("a sandbox that cannot be made says why", async () => {
  assert.match((await rejection(Sandbox.start({ program: "/nowhere/kist" }))).message, /^\/nowhere\/kist: ENOENT; give program/);
  const wrong = await rejection(Sandbox.start({ program: PROGRAM, policy: "[[grant]]\nid = 5\n" }));
  assert.ok(wrong instanceof SandboxError && wrong.message.includes("id"), wrong.message);
  assert.equal((await rejection(sandbox.token({ noSuchOption: 1 }))).constructor, SandboxError);
});
