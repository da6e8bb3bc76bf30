import assert from "node:assert/strict";
import { test } from "node:test";

import { Sandbox } from "kist/testing";

test("a payment", async () => {
  const sandbox = await Sandbox.start(); // kist and kistd in PATH, or KIST_PROGRAM
  const opened = await sandbox.client().openPaymentToken(await sandbox.token({ amount: 1499 }));
  assert.equal(opened.amount, 1499n);
  await sandbox.remove();
});
