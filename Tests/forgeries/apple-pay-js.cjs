// What @basis-theory/apple-pay-js makes of the tokens of forge.mjs. Usage: apple-pay-js.cjs LIBRARY FOLDER, LIBRARY as `require` takes it.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const [, , library, folder] = process.argv;
const { ApplePaymentTokenContext } = require(library);
const read = (name) => readFileSync(join(folder, name));
const context = new ApplePaymentTokenContext({ merchants: [{ certificatePem: read("certificate.pem"), privateKeyPem: read("key.pem") }] });

for (const name of read("order").toString().split("\n")) {
  try {
    console.log(name, "opened, amount", context.decrypt(JSON.parse(read(`${name}.json`))).transactionAmount);
  } catch (error) {
    console.log(name, "refused:", error.errors?.[0]?.message ?? error.message);
  }
}
