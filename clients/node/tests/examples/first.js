import { Client } from "kist";

const client = new Client();
for (const key of await client.keys()) console.log(key.label, key.state);
console.log((await client.random(16)).length, "random bytes");
