// What Kist makes of the tokens of forge.mjs. Usage: kist.mjs ENDPOINT FOLDER; a grant with `stages = true` shows at which check.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Client, Token } from "../../clients/node/src/index.js";

const [, , endpoint, folder] = process.argv;
const client = new Client({ endpoint });

for (const name of readFileSync(join(folder, "order"), "utf8").split("\n")) {
  try {
    const opened = await client.openPaymentToken(Token.fromApple(readFileSync(join(folder, `${name}.json`))));
    console.log(name, "opened, amount", Number(opened.amount));
  } catch (error) {
    console.log(name, "refused:", error.stage ?? error.message);
  }
}
