package kist;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A connection to {@code kistd}, the key daemon for Apple Pay, for all threads: their calls share it, and the daemon's commits, without waiting for one another.
 *
 * <p>It connects when it is first used, and again when the connection has ended. Only a token or an envelope that is opened with {@link CallOptions#retry} is ever sent
 * twice. A call throws {@link RefusedException}, the daemon's answer, or another {@link KistException} where there is no valid one.
 */
public final class Client extends Operations implements AutoCloseable {
  /** The services' socket of an installed daemon. */
  public static final String SERVICES = "unix:/run/kist/kist.sock";
  /** The operators' socket. */
  public static final String OPERATORS = "unix:/run/kist/admin.sock";

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int RETRY_KEY_SIZE = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final String path;
  private final Duration timeout;
  private final Connection connection;
  private final AtomicLong lastId = new AtomicLong();

  /** One of the environment's {@code KIST_ENDPOINT}, else of {@link #SERVICES}, whose calls take 10 s at most. */
  public Client() {
    this(null, TIMEOUT);
  }

  /**
   * One of an endpoint.
   *
   * @param endpoint {@code unix:/PATH}; null for the environment's {@code KIST_ENDPOINT}, else {@link #SERVICES}
   * @param timeout of one call, connecting included
   * @throws EndpointException if the endpoint is none
   */
  public Client(String endpoint, Duration timeout) {
    String given = endpoint;
    if (given == null) given = System.getenv("KIST_ENDPOINT");
    if (given == null || endpoint == null && given.isEmpty()) given = SERVICES;
    if (!given.startsWith("unix:/") || given.indexOf('\0') >= 0) throw new EndpointException("the endpoint is \"" + given + "\"; expected unix:/PATH");
    this.path = given.substring("unix:".length());
    this.timeout = CallOptions.checked(timeout);
    this.connection = new Connection(path);
  }

  /** Ends the connection and every call on it; another call opens a new one. */
  @Override
  public void close() {
    connection.close();
  }

  /**
   * All keys that the caller may list, by label.
   *
   * @param prefix with which the labels begin
   * @param pattern that covers the labels, such as {@code merchant/acme/*}; either may be empty
   * @param options at most one, for each call
   * @return the keys
   */
  public List<KeyDescription> keys(String prefix, String pattern, CallOptions... options) {
    List<KeyDescription> keys = new ArrayList<>();
    String last = "";
    while (true) {
      ListKeysReply page = listKeys(new ListKeysRequest().prefix(prefix).pattern(pattern).after(last), options);
      for (KeyDescription key : page.keys()) {
        String label = key.label() == null ? "" : key.label();
        // Otherwise the listing might never end [OP-LIST-1].
        if (!keys.isEmpty() && Arrays.compareUnsigned(label.getBytes(UTF_8), last.getBytes(UTF_8)) <= 0) throw new ReplyException("a listing whose labels do not ascend");
        keys.add(key);
        last = label;
      }
      if (!page.more() || page.keys().isEmpty()) return keys;
    }
  }

  /**
   * The id of the one key whose label the pattern covers; destroyed keys are passed over.
   *
   * @param pattern such as {@code merchant/acme/*}
   * @param options at most one, for each call
   * @return its id
   * @throws NoSuchKeyException if there is none, or none that the caller may list
   * @throws SeveralKeysException if there are more
   */
  public KeyId findKey(String pattern, CallOptions... options) {
    if (pattern.isEmpty()) throw new RequestException("findKey: pattern is missing");
    List<KeyDescription> found = keys("", pattern, options).stream().filter(key -> !"destroyed".equals(key.state())).toList();
    if (found.isEmpty()) throw new NoSuchKeyException("no key has the label \"" + pattern + "\", or policy lets this caller list none that has");
    if (found.size() > 1) throw new SeveralKeysException("\"" + pattern + "\" covers several keys: " + String.join(", ", found.stream().map(KeyDescription::label).toList()));
    return new KeyId(found.get(0).id());
  }

  @Override
  <R extends Message & Answered> R ask(
      int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty,
      CallOptions options) {
    Attempt<R> attempt = new Attempt<>(opcode, name, key, request, reply, isEmpty, options);
    try {
      return attempt.await(connection);
    } catch (DisconnectedException | CallTimeoutException lost) {
      if (options.isRepeated) return onAnother(attempt, lost);
      throw lost;
    } finally {
      attempt.wipe();
    }
  }

  /**
   * The second time is on a connection of its own, for other calls still wait for replies on the
   * first.
   */
  private <R extends Message & Answered> R onAnother(Attempt<R> attempt, KistException lost) {
    Connection other = new Connection(path);
    try {
      return attempt.await(other);
    } catch (KistException error) {
      // What is about the daemon does not say that the first was not carried out.
      throw isAboutDaemon(error) ? lost : error;
    } finally {
      other.close();
    }
  }

  @Override
  <R extends Message & Answered> CompletableFuture<R> send(
      int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty, CallOptions options) {
    Attempt<R> attempt = new Attempt<>(opcode, name, key, request, reply, isEmpty, options);
    boolean isKept = false;
    try {
      CompletableFuture<R> first = attempt.post(connection);
      isKept = options.isRepeated;
      return isKept ? again(attempt, first) : first;
    } finally {
      if (!isKept) attempt.wipe();
    }
  }

  private <R extends Message & Answered> CompletableFuture<R> again(Attempt<R> attempt, CompletableFuture<R> first) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    first.whenComplete((made, error) -> {
      boolean isLost = error instanceof DisconnectedException || error instanceof CallTimeoutException;
      try {
        if (isLost && !answer.isDone()) postOnAnother(attempt, error, answer);
        else settle(answer, made, error);
      } finally {
        attempt.wipe();
      }
    });
    answer.whenComplete((made, error) -> {
      if (answer.isCancelled()) first.cancel(false);
    });
    return answer;
  }

  private <R extends Message & Answered> void postOnAnother(
      Attempt<R> attempt, Throwable lost, CompletableFuture<R> answer) {
    Connection other = new Connection(path);
    attempt.post(other).whenComplete((made, error) -> {
      other.close();
      settle(answer, made, isAboutDaemon(error) ? lost : error);
    });
  }

  private static <R> void settle(CompletableFuture<R> future, R made, Throwable error) {
    if (error == null) future.complete(made);
    else future.completeExceptionally(error);
  }

  private static boolean isAboutDaemon(Throwable error) {
    if (error instanceof UnreachableException) return true;
    return error instanceof RefusedException refused
        && (refused.status() == Status.LOCKED || refused.status() == Status.AUDIT_UNAVAILABLE || refused.status() == Status.BUSY && refused.endsConnection());
  }

  /** One request, whose frame can be made twice, until it is wiped. */
  private final class Attempt<R extends Message & Answered> {
    private final int opcode;
    private final String name;
    private final KeyId key;
    private final byte[] body;
    private final Supplier<R> reply;
    private final boolean isEmpty;
    private final CallOptions options;
    private final byte[] retryKey;

    Attempt(
        int opcode, String name, KeyId key, Message request, Supplier<R> reply, boolean isEmpty,
        CallOptions options) {
      this.opcode = opcode;
      this.name = name;
      this.key = key;
      this.reply = reply;
      this.isEmpty = isEmpty;
      this.options = options;
      this.retryKey = retryKey(name, request, options.isRepeated);
      try {
        this.body = request == null ? new byte[0] : Writer.encode(request, retryKey);
      } catch (Flaw flaw) {
        throw new RequestException(name + ": " + flaw.text);
      }
    }

    R await(Connection line) {
      return line.await(call(null));
    }

    CompletableFuture<R> post(Connection line) {
      Answering<R> answer = new Answering<>(line);
      answer.call = call(answer);
      line.post(answer.call);
      return answer;
    }

    private Call<R> call(CompletableFuture<R> future) {
      long id = options.requestId == null ? lastId.incrementAndGet() : options.requestId;
      long until = System.nanoTime() + (options.timeout == null ? timeout : options.timeout).toNanos();
      byte[] frame = Frames.request(opcode, id, key, body);
      return new Call<>(opcode, name, reply.get(), isEmpty, frame, id, retryKey, until, future);
    }

    void wipe() {
      Arrays.fill(body, (byte) 0);
    }
  }

  /** A call's future, whose cancelling gives the call up. */
  private static final class Answering<R extends Message & Answered> extends CompletableFuture<R> {
    private final Connection line;
    private Call<R> call;

    Answering(Connection line) {
      this.line = line;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean wasDone = isDone();
      boolean isCancelled = super.cancel(mayInterrupt);
      if (isCancelled && !wasDone) line.giveUp(call, "the call was given up");
      return isCancelled;
    }

    /** Those that hang onto this one have no call. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }
  }

  private static byte[] retryKey(String name, Message request, boolean isRepeated) {
    byte[] own = request instanceof OpenPaymentTokenRequest token ? token.retryKey() : request instanceof OpenEnvelopeRequest envelope ? envelope.retryKey() : null;
    if (!isRepeated) return own;
    if (!(request instanceof OpenPaymentTokenRequest || request instanceof OpenEnvelopeRequest)) throw new RequestException(name + ": only what is opened once is sent again");
    if (own != null) return own;
    byte[] made = new byte[RETRY_KEY_SIZE];
    RANDOM.nextBytes(made);
    return made;
  }
}
