package kist.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import kist.Client;
import kist.PaymentToken;
import kist.Token;

/** A sandbox daemon for tests: the production daemon on a throw-away directory with a test Apple PKI. */
public final class Sandbox implements AutoCloseable {
  private static final int START_MOST = 60;
  private final String program;
  private final Path folder;
  private Process daemon;

  /** One of the environment's {@code KIST_PROGRAM}, else of the {@code kist} in {@code PATH}, as every sandbox is. */
  public Sandbox() {
    this(null, "", "");
  }

  /**
   * Makes a sandbox and starts its daemon.
   *
   * @param program the {@code kist} command; null for the environment's {@code KIST_PROGRAM}, else that of {@code PATH}
   * @param config settings in the form of kist.toml, besides those of every sandbox; may be empty
   * @param policy grants in front of those of every sandbox; may be empty
   * @throws IllegalStateException with the command's output if it cannot be made
   */
  public Sandbox(String program, String config, String policy) {
    String own = program == null ? System.getenv("KIST_PROGRAM") : program;
    this.program = own == null || own.isEmpty() ? "kist" : own;
    try {
      folder = Files.createTempDirectory("kist-");
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    try {
      make(config, policy);
    } catch (RuntimeException error) {
      close();
      throw error;
    }
  }

  private void make(String config, String policy) {
    List<String> words = new ArrayList<>(List.of("sandbox", "init"));
    try {
      add(words, "config", config);
      add(words, "policy", policy);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    words.add(directory().toString());
    kist("", words);
    start();
  }

  private void add(List<String> words, String kind, String text) throws IOException {
    if (text.isEmpty()) return;
    Path file = folder.resolve(kind + ".toml");
    Files.createFile(file, java.nio.file.attribute.PosixFilePermissions.asFileAttribute(java.nio.file.attribute.PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, text);
    words.addAll(List.of("--" + kind, file.toString()));
  }

  /** {@return everything that the daemon has} */
  public Path directory() {
    return folder.resolve("box");
  }

  /** {@return the endpoint for services} */
  public String endpoint() {
    return "unix:" + directory() + "/run/kist.sock";
  }

  /** {@return the endpoint for operators} */
  public String operatorsEndpoint() {
    return "unix:" + directory() + "/run/admin.sock";
  }

  /** {@return a client of the services' socket} */
  public Client client() {
    return new Client(endpoint(), Duration.ofSeconds(10));
  }

  /** {@return a client of the operators' socket} */
  public Client operator() {
    return new Client(operatorsEndpoint(), Duration.ofSeconds(10));
  }

  /**
   * A fresh token as Apple would make it.
   *
   * @param options of {@code kist sandbox token}, such as {@code "--amount", "1499"}
   * @return the token
   */
  public PaymentToken token(String... options) {
    return Token.fromApple(tokenText(options));
  }

  /**
   * The same as Apple's JSON.
   *
   * @param options as of a token
   * @return the JSON
   */
  public String tokenText(String... options) {
    return kist("", words("token", options));
  }

  /**
   * What a phone sends an issuer's host to add a card, as JSON: {@code certificates}, {@code nonce} and {@code nonceSignature} in base64.
   *
   * @param options of {@code kist sandbox pass-request}
   * @return the JSON
   */
  public String passRequest(String... options) {
    return kist("", words("pass-request", options));
  }

  private List<String> words(String command, String... options) {
    List<String> words = new ArrayList<>(List.of("sandbox", command, "--dir", directory().toString()));
    words.addAll(List.of(options));
    return words;
  }

  /** Starts the daemon again; returns when it serves. It ends with this process, even where that is killed. */
  public void start() {
    CompletableFuture<Boolean> ready = new CompletableFuture<>();
    StringBuffer said = new StringBuffer();
    // The kernel kills it with the thread that started it, so that thread waits for its end.
    Thread owner = new Thread(() -> run(ready, said), "kist-sandbox");
    owner.setDaemon(true);
    owner.start();
    try {
      if (!ready.get(START_MOST, TimeUnit.SECONDS)) throw new IllegalStateException("kistd did not start: " + said);
    } catch (ExecutionException | TimeoutException error) {
      throw new IllegalStateException("kistd did not start: " + said, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", error);
    }
  }

  private void run(CompletableFuture<Boolean> ready, StringBuffer said) {
    try {
      List<String> words = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--", program));
      words.addAll(words("run"));
      Process process = new ProcessBuilder(words).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      daemon = process;
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (ready.isDone()) continue;
          said.append(line).append('\n');
          if (line.contains("event=ready")) ready.complete(true);
        }
      }
      ready.complete(false);
      process.waitFor();
    } catch (IOException error) {
      ready.completeExceptionally(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** Stops the daemon in order; {@link #start} starts it again on the same keys and log. */
  public void stop() {
    end(Process::destroy);
  }

  /** Kills the daemon as a crash would. */
  public void kill() {
    end(Process::destroyForcibly);
  }

  private void end(java.util.function.Consumer<Process> how) {
    if (daemon == null) return;
    how.accept(daemon);
    daemon.onExit().join();
    daemon = null;
  }

  /** Stops the daemon and removes everything. */
  @Override
  public void close() {
    stop();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  private String kist(String input, List<String> words) {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(words);
    try {
      Path said = folder.resolve("said");
      Process process = new ProcessBuilder(command).redirectError(said.toFile()).start();
      try (java.io.OutputStream to = process.getOutputStream()) {
        to.write(input.getBytes(StandardCharsets.UTF_8));
      }
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) throw new IllegalStateException(Files.readString(said).strip());
      return output;
    } catch (IOException error) {
      throw new IllegalStateException(program + " cannot be run; give program, or set KIST_PROGRAM", error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", error);
    }
  }
}
