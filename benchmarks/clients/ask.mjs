// Usage: ask.mjs COUNT DEPTH. Asks for random bytes, DEPTH calls in flight, and prints the client's processor time for one, in µs.

import { Client } from "../../clients/node/src/index.js";

const [count, depth] = process.argv.slice(2).map(Number);
const client = new Client();

async function ask(calls) {
  const callers = Array.from({ length: depth }, async () => {
    for (let i = 0; i < calls / depth; i++) await client.random(16);
  });
  await Promise.all(callers);
}

await ask(2 * count); // for the compiler
const before = process.cpuUsage();
await ask(count);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / count);
client.close();
