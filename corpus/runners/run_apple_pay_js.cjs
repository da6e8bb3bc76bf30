// What @basis-theory/apple-pay-js makes of corpus files. Usage: run_apple_pay_js.cjs LIBRARY FILE…, LIBRARY as `require` takes it.

const { readFileSync } = require("node:fs");

const [, , library, ...files] = process.argv;
const { ApplePaymentTokenContext } = require(library);

for (const file of files) {
  const { version, merchantCertificate, merchantPrivateKey, tests } = JSON.parse(readFileSync(file));
  const merchants = [{ certificatePem: Buffer.from(merchantCertificate), privateKeyPem: Buffer.from(merchantPrivateKey) }];
  const context = new ApplePaymentTokenContext({ merchants });
  for (const { tcId, token } of tests) console.log(JSON.stringify({ version, tcId, ...opened(context, token) }));
}

function opened(context, token) {
  try {
    const payment = context.decrypt(token);
    return { opened: true, number: payment.applicationPrimaryAccountNumber ?? null, amount: payment.transactionAmount };
  } catch {
    return { opened: false };
  }
}
