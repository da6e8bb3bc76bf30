package kist;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import kist.testing.Sandbox;
import org.junit.jupiter.api.Test;

/** The examples of the pages, which are programs of their own. */
final class ExamplesTest {
  @Test
  void onThePages() throws Exception {
    for (Map.Entry<String, String> each : Map.of("First", "../README.md", "Pay", "README.md").entrySet()) {
      String source = Files.readString(Path.of("examples", each.getKey() + ".java"));
      assertTrue(Files.readString(Path.of(each.getValue())).contains("```java\n" + source + "```\n"), each.getKey());
    }
  }

  @Test
  void examples() throws Exception {
    try (Sandbox sandbox = new Sandbox(DaemonTest.program(), "", "")) {
      check(run(sandbox, "First", ""), "(?s)merchant/sandbox/processing-ec active\n.*\n16 random bytes\n");
      String token = sandbox.tokenText("--amount", "1499");
      check(run(sandbox, "Pay", token), "charged a card that ends in \\d{4}, 28 characters\n");
      check(run(sandbox, "Pay", token), "do not repeat it, and quote record \\d+ to the operator: rejected");
      check(run(sandbox, "Pay", sandbox.tokenText("--amount", "1")), "rejected");
      check(run(sandbox, "Pay", "{}"), "simulator");
    }
  }

  private static void check(String output, String expected) {
    assertTrue(java.util.regex.Pattern.compile(expected).matcher(output).find(), output);
  }

  private static String run(Sandbox sandbox, String name, String input) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(List.of("java", "-cp", "build/main", "examples/" + name + ".java")).redirectErrorStream(true);
    builder.environment().put("KIST_ENDPOINT", sandbox.endpoint());
    Process process = builder.start();
    process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }
}
