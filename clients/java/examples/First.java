import kist.Client;
import kist.KeyDescription;
import kist.RandomRequest;

final class First {
  public static void main(String[] arguments) {
    try (Client client = new Client()) {
      for (KeyDescription key : client.keys("", "")) System.out.println(key.label() + " " + key.state());
      System.out.println(client.random(new RandomRequest().count(16)).random().bytes().length + " random bytes");
    }
  }
}
