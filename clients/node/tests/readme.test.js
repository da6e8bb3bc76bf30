// The examples of the README, which are programs of their own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import * as kist from "../src/index.js";
import { Sandbox } from "../src/testing.js";

const PROGRAM = process.env.KIST_PROGRAM ?? new URL("../../../.build/debug/kist", import.meta.url).pathname;
const EXAMPLES = new URL("examples/", import.meta.url);
const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
let sandbox;

before(async () => {
  sandbox = await Sandbox.start({ program: PROGRAM });
  process.env.KIST_ENDPOINT = sandbox.endpoint;
});

after(() => sandbox?.remove());

const blocks = (text) => [...text.matchAll(/^```js\n(.*?)^```$/gms)].map((found) => found[1]);

test("the pages have the examples as they are", () => {
  const shown = [...blocks(read("../README.md")), ...blocks(read("../../README.md")), ...blocks(read("../../../README.md"))];
  for (const name of readdirSync(EXAMPLES)) assert.ok(shown.includes(read(`examples/${name}`)), name);
  assert.equal(shown.length, readdirSync(EXAMPLES).length);
});

test("first.js", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [new URL("first.js", EXAMPLES).pathname]);
  assert.match(stdout, /^merchant\/sandbox\/processing-ec active$/m);
  assert.match(stdout, /\n16 random bytes\n$/);
});

test("pay.js", async () => {
  const { pay } = await import(new URL("pay.js", EXAMPLES));
  const body = await sandbox.tokenText({ amount: 1499 });
  assert.match(await pay(body, "order-17"), /^charged a card that ends in \d{4}, 28 characters$/);
  await assert.rejects(pay(body, "order-17"), kist.Rejected);
  await assert.rejects(pay(await sandbox.tokenText({ amount: 1 }), "order-18"), kist.Rejected);
});

test("refused.js", async () => {
  const { statusOf } = await import(new URL("refused.js", EXAMPLES));
  const errors = [new kist.Rejected(1n), new kist.Busy(1n, 5), new kist.Timeout(), new kist.Disconnected(), new kist.Locked("locked", 1n), new Error()];
  assert.deepEqual(errors.map(statusOf), [422, 503, 504, 504, 500, 500]);
});

test("own.test.js", async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // it is a run of its own
  const file = new URL("own.test.js", EXAMPLES).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ["--test", file], { env: { ...env, KIST_PROGRAM: PROGRAM } });
  assert.match(stdout, /^# pass 1$/m);
});
