import { Client, Token, wipeSecrets } from "kist";

const client = new Client(); // KIST_ENDPOINT, else unix:/run/kist/kist.sock

/** Opens Apple's token, and hands number and cryptogram to the acquirer. */
export async function pay(body, order) {
  const token = Token.fromApple(body);
  const opened = await client.openPaymentToken(token, { expectedCurrency: "840", expectedAmount: 1499 }, { requestId: order, retry: true });
  try {
    if (!opened.dpan || !opened.cryptogram) throw new Error("policy does not release what a payment needs");
    return await charge(opened.dpan.text(), opened.cryptogram.text());
  } finally {
    wipeSecrets(opened);
  }
}

/** Your acquirer's. */
async function charge(number, cryptogram) {
  return `charged a card that ends in ${number.slice(-4)}, ${cryptogram.length} characters`;
}
