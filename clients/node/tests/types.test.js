// The typings: by the compiler, and beside what is exported.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as kist from "../src/index.js";
import * as testing from "../src/testing.js";
import { operations } from "../src/schema.js";

test("they take what is right and refuse what is not", () => {
  const done = spawnSync("tsc", ["--project", new URL("tsconfig.json", import.meta.url).pathname], { encoding: "utf8" });
  assert.equal(done.error, undefined, "tsc is Debian's node-typescript");
  assert.equal(done.stdout, "");
  assert.equal(done.status, 0);
});

test("they declare what is exported, and nothing else", () => {
  const declared = (name) => [...readFileSync(new URL(`../src/${name}.d.ts`, import.meta.url), "utf8").matchAll(/^export (?:class|function|const) (\w+)/gm)].map((found) => found[1]);
  assert.deepEqual(new Set([...declared("index"), ...declared("secret")]), new Set(Object.keys(kist)));
  assert.deepEqual(new Set(declared("testing")), new Set(Object.keys(testing)));
  for (const name of Object.keys(operations)) assert.equal(typeof kist.Client.prototype[name], "function", name);
});
