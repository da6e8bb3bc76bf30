// Compiled by types.test.js: what the typings take, and what they refuse.

import { Client, type OpenPaymentTokenReply, Rejected, type ReleasedField, Secret, Token, wipeSecrets } from "kist";
import { Sandbox } from "kist/testing";

export async function accepted(key: Uint8Array, signal: AbortSignal): Promise<void> {
  const sandbox = await Sandbox.start({ policy: "" });
  const client: Client = sandbox.client({ timeout: null });
  const wanted: Exclude<ReleasedField, "jwe">[] = ["dpan", "envelope"];
  const opened: OpenPaymentTokenReply = await client.openPaymentToken(
    Token.fromApple(await sandbox.tokenText({ amount: 5, stale: true })),
    { release: wanted, expectedAmount: 5n, expectedCurrency: "840" },
    { retry: true, signal, requestId: "order", key },
  );
  const number: Secret | undefined = opened.dpan;
  const amount: bigint | undefined = opened.amount;
  const drawn: Secret = await client.random(16);
  const { auditSequence, signature } = await client.sign(key, { scheme: "ed25519", message: key });
  const sequence: bigint | null = auditSequence;
  await client.verifyPaymentToken(null, { token: await sandbox.token() });
  await client.provisionPass(key, { scheme: "ev-ecc-v2", configuration: "account-number", certificates: [key], visa: { type: "mbpac" } });
  await sandbox.operator().importKey({ label: "a", role: "otp-hotp", privateKey: key, otp: { hash: "sha1", window: 0 } });
  const stage: string | null = new Rejected().stage;
  wipeSecrets(opened);
  console.log(number?.text(), amount, drawn.length, sequence, signature?.length, stage);
}

export async function refused(client: Client, key: Uint8Array): Promise<void> {
  // @ts-expect-error: no such scheme
  await client.sign(key, { scheme: "ed2551", message: key });
  // @ts-expect-error: a derivation is required
  await client.kdf(key, { handle: key, count: 16 });
  // @ts-expect-error: an amount is no text
  await client.openPaymentToken(Token.fromApple(""), { expectedAmount: "1499" });
  // @ts-expect-error: it follows from the grant, and is never asked for
  await client.openPaymentToken(Token.fromApple(""), { release: ["jwe"] });
  // @ts-expect-error: no such field
  await client.listKeys({ label: "a" });
  // @ts-expect-error: only what is opened once is sent again
  await client.random(1, { retry: true });
  // @ts-expect-error: a key's id is bytes
  await client.describeKey("key");
  // @ts-expect-error: a secret is no text
  const text: string = (await client.detokenise(key, { surrogate: "1" })).pan;
  console.log(text);
}
