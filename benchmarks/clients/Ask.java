import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import kist.Client;
import kist.RandomRequest;

/** Usage: Ask COUNT DEPTH. Asks for random bytes, DEPTH calls in flight, and prints the client's processor time for one, in µs. */
final class Ask {
  public static void main(String[] arguments) throws Exception {
    int count = Integer.parseInt(arguments[0]);
    int depth = Integer.parseInt(arguments[1]);
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (Client client = new Client()) {
      ask(client, 10 * count, depth); // until the compiler has done
      long before = system.getProcessCpuTime();
      ask(client, count, depth);
      System.out.println((system.getProcessCpuTime() - before) / 1e3 / count);
    }
  }

  private static void ask(Client client, int count, int depth) {
    if (depth == 1) {
      for (int i = 0; i < count; i++) client.random(new RandomRequest().count(16));
      return;
    }
    for (int i = 0; i < count / depth; i++) {
      var calls = new CompletableFuture<?>[depth];
      for (int j = 0; j < depth; j++) calls[j] = client.randomAsync(new RandomRequest().count(16));
      CompletableFuture.allOf(calls).join();
    }
  }
}
