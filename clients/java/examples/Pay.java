import java.io.IOException;
import kist.CallOptions;
import kist.Client;
import kist.OpenPaymentTokenReply;
import kist.OpenPaymentTokenRequest;
import kist.PaymentToken;
import kist.RefusedException;
import kist.Token;

final class Pay {
  public static void main(String[] arguments) throws IOException {
    try (Client client = new Client()) { // KIST_ENDPOINT, else unix:/run/kist/kist.sock
      System.out.println(pay(client, System.in.readAllBytes(), "order-17"));
    }
  }

  /** Opens Apple's token, and hands number and cryptogram to the acquirer. */
  static String pay(Client client, byte[] body, String order) {
    PaymentToken token = Token.fromApple(body);
    OpenPaymentTokenRequest request = new OpenPaymentTokenRequest().token(token).expectedCurrency("840").expectedAmount(1499);
    OpenPaymentTokenReply opened;
    try {
      opened = client.openPaymentToken(Token.keyOf(token), request, CallOptions.options().requestId(order).retry());
    } catch (RefusedException refused) {
      return "do not repeat it, and quote record " + refused.auditSequence() + " to the operator: " + refused.getMessage();
    }
    if (opened.dpan() == null || opened.cryptogram() == null) throw new IllegalStateException("policy does not release what a payment needs");
    try (var number = opened.dpan(); var cryptogram = opened.cryptogram()) {
      return charge(number.text(), cryptogram.text());
    }
  }

  /** Your acquirer's. */
  static String charge(String number, String cryptogram) {
    return "charged a card that ends in " + number.substring(number.length() - 4) + ", " + cryptogram.length() + " characters";
  }
}
