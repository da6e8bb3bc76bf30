package kist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/** Servers that lie, die, wait and come back. */
final class TransportTest {
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final KeyId ID = new KeyId(KEY);
  private static final PaymentToken TOKEN =
      new PaymentToken().version(TokenVersion.EC_V1).data(new byte[1]).signature(new byte[1]).publicKeyHash(new byte[32]).transactionId(new byte[32]);

  private static Secret draw(Client client, long count, CallOptions... options) {
    return client.random(new RandomRequest().count(count), options).random();
  }

  private static KistException thrown(Executable call) {
    return assertThrows(KistException.class, call);
  }

  private static void eventually(BooleanSupplier isSo) throws InterruptedException {
    for (long end = System.nanoTime() + 5_000_000_000L; !isSo.getAsBoolean(); Thread.sleep(1)) assertTrue(System.nanoTime() < end, "it does not come");
  }

  @TestFactory
  Stream<DynamicTest> reply() throws IOException {
    List<String[]> rows = Files.readAllLines(Path.of("../replies.txt")).stream().filter(line -> !line.isEmpty() && line.charAt(0) != '#')
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toArray(String[]::new)).toList();
    assertTrue(rows.size() >= 47);
    return rows.stream().map(row -> DynamicTest.dynamicTest(row[1], () -> checkReply(row[0], row[1], HexFormat.of().parseHex(row[2]))));
  }

  private static void checkReply(String outcome, String name, byte[] answer) throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      server.answer = answer;
      if (outcome.equals("ok")) {
        assertArrayEquals(new byte[] {1, 2, 3, 4}, draw(client, 4).bytes());
        return;
      }
      KistException error = thrown(() -> draw(client, 4));
      assertEquals(1, error.requestId());
      if (outcome.equals("disconnected")) assertInstanceOf(DisconnectedException.class, error);
      else if (outcome.equals("reply")) assertInstanceOf(ReplyException.class, error);
      else checkRefusal(outcome, name, assertInstanceOf(RefusedException.class, error));
    }
  }

  private static void checkRefusal(String outcome, String name, RefusedException refused) {
    assertEquals(outcome, refused.status().text());
    assertEquals(41, refused.auditSequence());
    Object[] told = {refused.stage(), refused.field(), refused.releasedField(), refused.why(), refused.retryAfter(), refused.request(), refused.until()};
    Object[] expected = switch (name) {
      case "rejected with a stage" -> new Object[] {Stage.SIGNING_TIME, PassField.NONCE, null, null, null, null, null};
      case "rejected with the last field" -> new Object[] {Stage.MISSING_FIELD, PassField.ACCOUNT_SURROGATE, null, null, null, null, null};
      case "rejected with the last released field" -> new Object[] {Stage.NOT_RELEASED, null, ReleasedField.JWE, null, null, null, null};
      case "rejected with a field of a later daemon" -> new Object[] {Stage.MISSING_FIELD, null, null, null, null, null, null};
      case "rejected with a released field of a later daemon", "rejected with a released field that is none" -> new Object[] {Stage.NOT_RELEASED, null, null, null, null, null, null};
      case "malformed, and why" -> new Object[] {null, null, null, "count is 9", null, null, null};
      case "busy, and for how long" -> new Object[] {null, null, null, null, 250L, null, null};
      case "approval-needed" -> new Object[] {null, null, null, null, null, "1a2b3c4d", 1767225600L};
      default -> new Object[7];
    };
    assertArrayEquals(expected, told, Arrays.toString(told));
  }

  @Test
  void overTheCaps() throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      server.greeting = FakeServer.refusal(Status.BUSY, 0, 0);
      for (int i = 0; i < 50; i++) {
        RefusedException refused = assertThrows(RefusedException.class, () -> draw(client, 1));
        assertTrue(refused.status() == Status.BUSY && refused.endsConnection());
      }
    }
  }

  @Test
  void busyOfTheConnectionOnlyAtItsBeginning() throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      draw(client, 1);
      server.answer = FakeServer.refusal(Status.BUSY, 0, 0);
      assertInstanceOf(ReplyException.class, thrown(() -> draw(client, 1)));
    }
  }

  @Test
  void manyAtOnce() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      List<CompletableFuture<RandomReply>> answers = IntStream.range(0, 200).mapToObj(i -> client.randomAsync(new RandomRequest().count(i % 100 + 1))).toList();
      for (int i = 0; i < 200; i++) assertEquals(i % 100 + 1, answers.get(i).get().random().bytes().length);
      ExecutorService threads = Executors.newFixedThreadPool(16);
      List<Future<Secret>> drawn = IntStream.range(0, 200).mapToObj(i -> threads.submit(() -> draw(client, i % 100 + 1))).toList();
      for (int i = 0; i < 200; i++) assertEquals(i % 100 + 1, drawn.get(i).get().bytes().length);
      threads.shutdown();
      assertEquals(1, server.connections());
      assertEquals(400, server.requests().size());
    }
  }

  /** A call that is made where a reply comes in waits for no other event to go out. */
  @Test
  void callsFromReplies() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      CompletableFuture<Void> all = new CompletableFuture<>();
      Runnable[] next = new Runnable[1];
      AtomicInteger left = new AtomicInteger(500);
      next[0] = () -> client.randomAsync(new RandomRequest().count(1)).whenComplete((reply, error) -> {
        if (error != null) all.completeExceptionally(error);
        else if (left.decrementAndGet() == 0) all.complete(null);
        else if (left.get() > 0) next[0].run();
      });
      for (int i = 0; i < 20; i++) next[0].run();
      all.get(20, TimeUnit.SECONDS);
      assertEquals(1, server.connections());
    }
  }

  @Test
  void reconnectsAndNeverRepeats() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      server.hangUpAfter = 1;
      for (int i = 1; i <= 100; i++) {
        int count = i;
        draw(client, 1);
        assertEquals(List.of(i, i), List.of(server.connections(), server.requests().size()));
        eventually(() -> server.closed() == count);
      }
      server.drops = 101;
      assertInstanceOf(DisconnectedException.class, thrown(() -> draw(client, 1)));
      assertEquals(101, server.requests().size());
    }
  }

  @Test
  void diesWithCallsInFlight() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      CountDownLatch gate = new CountDownLatch(1);
      server.gate = gate;
      List<CompletableFuture<RandomReply>> answers = IntStream.range(0, 40).mapToObj(i -> client.randomAsync(new RandomRequest().count(1))).toList();
      eventually(() -> server.requests().size() == 1);
      Thread.sleep(50);
      server.gate = null;
      server.hangUp();
      gate.countDown();
      int lost = 0;
      for (CompletableFuture<RandomReply> answer : answers) {
        try {
          answer.join();
        } catch (java.util.concurrent.CompletionException error) {
          assertInstanceOf(DisconnectedException.class, error.getCause());
          lost++;
        }
      }
      assertEquals(32, lost);
    }
  }

  @Test
  void endpoints() {
    assertInstanceOf(UnreachableException.class, thrown(() -> new Client("unix:/nowhere/kist.sock", Duration.ofSeconds(1)).ping()));
    KistException error = thrown(() -> new Client("unix:/" + "a".repeat(107), Duration.ofSeconds(1)).ping());
    assertTrue(error instanceof UnreachableException && error.getMessage().endsWith("File name too long"));
    for (String endpoint : List.of("", "unix:", "unix:relative", "tcp:127.0.0.1:1", "/run/kist/kist.sock", "unix:/a\0b", "UNIX:/a")) {
      assertInstanceOf(EndpointException.class, thrown(() -> new Client(endpoint, Duration.ofSeconds(1))), endpoint);
    }
  }

  @Test
  void fullBacklog() throws Exception {
    Path folder = Files.createTempDirectory("kist-full-");
    Path path = folder.resolve("s");
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path), 1)) {
      List<SocketChannel> waiting = new java.util.ArrayList<>();
      for (int i = 0; i < 2; i++) waiting.add(SocketChannel.open(UnixDomainSocketAddress.of(path)));
      Client client = new Client("unix:" + path, Duration.ofMillis(80));
      long started = System.nanoTime();
      KistException error = thrown(client::ping);
      assertEquals(path + ": the daemon takes no more connections", assertInstanceOf(UnreachableException.class, error).getMessage());
      assertTrue(System.nanoTime() - started > 60_000_000L);
      CompletableFuture<Answer> answer = client.pingAsync(CallOptions.options().timeout(Duration.ofSeconds(5)));
      Thread.sleep(30);
      for (int i = 0; i < 3; i++) {
        SocketChannel accepted = listener.accept();
        if (i < 2) continue;
        ByteBuffer request = ByteBuffer.allocate(64);
        accepted.read(request);
        accepted.write(ByteBuffer.allocate(24).putInt(20).put((byte) 1).put((byte) 0).put(request.array(), 6, 10).putLong(-1).flip());
      }
      assertNull(answer.get().auditSequence());
      for (SocketChannel each : waiting) each.close();
    }
    Files.deleteIfExists(path);
    Files.delete(folder);
  }

  @Test
  void timeoutLeavesNeighboursAlone() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      CountDownLatch gate = new CountDownLatch(1);
      server.gate = gate;
      CompletableFuture<RandomReply> late = client.randomAsync(new RandomRequest().count(1), CallOptions.options().timeout(Duration.ofMillis(60)).requestId("order-17"));
      CompletableFuture<RandomReply> other = client.randomAsync(new RandomRequest().count(2));
      Throwable error = assertThrows(java.util.concurrent.ExecutionException.class, late::get).getCause();
      assertEquals("the reply did not come in time", assertInstanceOf(CallTimeoutException.class, error).getMessage());
      assertEquals(ByteBuffer.wrap(server.requests().get(0), 4, 8).getLong(), ((KistException) error).requestId());
      gate.countDown();
      assertEquals(2, other.get().random().bytes().length);
      assertEquals(3, draw(client, 3).bytes().length);
      assertEquals(1, server.connections());
    }
  }

  @Test
  void connectionOnWhichNobodyWaits() throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      server.silences = 1;
      assertInstanceOf(CallTimeoutException.class, thrown(() -> draw(client, 1, CallOptions.options().timeout(Duration.ofMillis(40)))));
      assertEquals(1, draw(client, 1).bytes().length);
      assertEquals(2, server.connections());
    }
  }

  @Test
  void givenUp() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      CountDownLatch gate = new CountDownLatch(1);
      server.gate = gate;
      CompletableFuture<RandomReply> other = client.randomAsync(new RandomRequest().count(2));
      eventually(() -> server.requests().size() == 1);
      CompletableFuture<RandomReply> given = client.randomAsync(new RandomRequest().count(1));
      assertTrue(given.cancel(true) && given.isCancelled());
      Thread waiter = new Thread(() -> assertInstanceOf(GivenUpException.class, thrown(() -> draw(client, 4))));
      boolean[] isGood = {true};
      waiter.setUncaughtExceptionHandler((thread, error) -> isGood[0] = false);
      waiter.start();
      Thread.sleep(30);
      waiter.interrupt();
      waiter.join();
      assertTrue(isGood[0]);
      gate.countDown();
      assertEquals(2, other.get().random().bytes().length);
      assertEquals(3, draw(client, 3).bytes().length); // an interrupt ends no connection
      assertEquals(1, server.connections());
    }
  }

  @Test
  void closedUnderWay() throws Exception {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      CountDownLatch gate = new CountDownLatch(1);
      server.gate = gate;
      CompletableFuture<RandomReply> call = client.randomAsync(new RandomRequest().count(1));
      eventually(() -> server.requests().size() == 1);
      Runnable close = client::close;
      close.run();
      assertInstanceOf(DisconnectedException.class, assertThrows(java.util.concurrent.ExecutionException.class, call::get).getCause());
      gate.countDown();
      assertEquals(1, draw(client, 1).bytes().length); // and it goes on
    }
  }

  private static Answered open(Client client, String what, byte[] key, boolean isRepeated) {
    CallOptions options = CallOptions.options().timeout(Duration.ofMillis(150));
    if (isRepeated) options = options.retry();
    if (what.equals("token")) return client.openPaymentToken(ID, new OpenPaymentTokenRequest().token(TOKEN).retryKey(key), options);
    return client.openEnvelope(ID, new OpenEnvelopeRequest().envelope(new byte[1]).transactionId(new byte[32]).merchantIdentifier("m").retryKey(key), options);
  }

  private record Loss(int drops, int silences, byte[] key, boolean isRepeated, Class<?> expected, int sent) {}

  @TestFactory
  Stream<DynamicTest> sentAgain() {
    List<Loss> losses = List.of(
        new Loss(0, 0, null, true, null, 1), new Loss(1, 0, null, true, null, 2), new Loss(0, 1, KEY, true, null, 2), new Loss(2, 0, KEY, true, DisconnectedException.class, 2),
        new Loss(0, 9, null, true, CallTimeoutException.class, 2), new Loss(1, 0, KEY, false, DisconnectedException.class, 1),
        new Loss(1, 0, null, false, DisconnectedException.class, 1));
    return Map.of("token", 7, "envelope", 6).entrySet().stream().flatMap(
        what -> losses.stream().map(loss -> DynamicTest.dynamicTest(what.getKey() + " " + loss, () -> checkSentAgain(what.getKey(), what.getValue(), loss))));
  }

  private static void checkSentAgain(String what, int number, Loss loss) throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      server.drops = loss.drops;
      server.silences = loss.silences;
      KistException error = null;
      try {
        open(client, what, loss.key, loss.isRepeated);
      } catch (KistException thrown) {
        error = thrown;
      }
      assertEquals(loss.expected, error == null ? null : error.getClass());
      List<byte[]> bodies = server.requests().stream().map(request -> Arrays.copyOfRange(request, 28, request.length)).toList();
      assertEquals(List.of(loss.sent, loss.sent), List.of(bodies.size(), server.connections()));
      for (byte[] body : bodies) assertArrayEquals(bodies.get(0), body); // the same request, byte for byte
      byte[] tail = Arrays.copyOfRange(bodies.get(0), bodies.get(0).length - 18, bodies.get(0).length);
      byte[] sent = Arrays.copyOfRange(tail, 2, 18);
      boolean hasKey = loss.isRepeated || loss.key != null;
      assertEquals(hasKey, tail[0] == (number << 3 | 2) && tail[1] == 16);
      if (loss.key != null) assertArrayEquals(KEY, sent);
      if (error != null) assertArrayEquals(hasKey ? sent : null, error.retryKey());
    }
  }

  private record Second(int drops, int silences, Status status, int pause, Class<?> expected) {}

  @TestFactory
  Stream<DynamicTest> refusedTheSecondTime() {
    return Stream.of(
        new Second(1, 0, Status.LOCKED, 0, DisconnectedException.class), new Second(0, 1, Status.LOCKED, 0, CallTimeoutException.class),
        new Second(1, 0, Status.AUDIT_UNAVAILABLE, 0, DisconnectedException.class), new Second(1, 0, Status.BUSY, 0, DisconnectedException.class),
        new Second(1, 0, Status.BUSY, 100, RefusedException.class), new Second(1, 0, Status.REJECTED, 0, RefusedException.class),
        new Second(0, 0, Status.LOCKED, 0, RefusedException.class), new Second(0, 0, Status.BUSY, 0, RefusedException.class))
        .map(row -> DynamicTest.dynamicTest(row.toString(), () -> {
          try (FakeServer server = new FakeServer(); Client client = server.client()) {
            server.drops = row.drops;
            server.silences = row.silences;
            server.answer = FakeServer.refusal(row.status, row.pause, row.drops + row.silences + 1);
            KistException error = thrown(() -> open(client, "token", KEY, true));
            assertEquals(row.expected, error.getClass());
            assertArrayEquals(KEY, error.retryKey());
          }
        }));
  }

  @Test
  void onlyWhatIsOpenedIsSentAgain() throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      assertInstanceOf(RequestException.class, thrown(() -> draw(client, 1, CallOptions.options().retry())));
      server.silences = 9;
      CompletableFuture<OpenPaymentTokenReply> call = client.openPaymentTokenAsync(ID, new OpenPaymentTokenRequest().token(TOKEN), CallOptions.options().retry());
      assertTrue(call.cancel(false));
      assertTrue(server.requests().size() <= 1);
    }
  }

  @Test
  void bounds() throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      PaymentToken small = new PaymentToken().version(TokenVersion.EC_V1).publicKeyHash(new byte[32]).transactionId(KEY);
      Map<String, Supplier<Object>> calls = Map.ofEntries(
          Map.entry("random: count is 1025; it takes 1 to 1024", () -> draw(client, 1025)),
          Map.entry("random: count is missing", () -> draw(client, 0)),
          Map.entry("verifyPaymentToken: token.transactionId has 16 bytes; it takes 32", () -> client.verifyPaymentToken(null, new VerifyPaymentTokenRequest().token(small))),
          Map.entry("verifyPaymentToken: token.version is missing", () -> client.verifyPaymentToken(null, new VerifyPaymentTokenRequest())),
          Map.entry("unseal: iv has 13 bytes; it takes 12 or 16", () -> client.unseal(ID, new UnsealRequest().iv(new byte[13]))),
          Map.entry("mac: algorithm is none of the values it takes here, or does not go with the other fields", () -> client.mac(ID, new MacRequest().handle(KEY))),
          Map.entry("tokenise: lifetime is none of the values it takes here, or does not go with the other fields", () -> client.tokenise(ID, new TokeniseRequest().lifetime(5))),
          Map.entry("openPaymentToken: release is none of the values it takes here, or does not go with the other fields",
              () -> client.openPaymentToken(ID, new OpenPaymentTokenRequest().token(TOKEN).release(List.of(ReleasedField.JWE)))),
          Map.entry("provisionPass: certificates has 4 elements; it takes at most 3", () -> client.provisionPass(null, new ProvisionPassRequest()
              .scheme(EncryptionScheme.EV_ECC_V2).configuration(PassConfiguration.ACCOUNT_NUMBER).certificates(List.of(KEY, KEY, KEY, KEY)))),
          Map.entry("listKeys: prefix is not Unicode", () -> client.listKeys(new ListKeysRequest().prefix("\ud800"))),
          Map.entry("seal: plaintext has 65537 bytes; it takes at most 65536", () -> client.seal(ID, new SealRequest().plaintext(new byte[65537]))),
          Map.entry("findKey: pattern is missing", () -> client.findKey("")),
          Map.entry("a key's id has 16 bytes, not 15", () -> new KeyId(new byte[15])));
      calls.forEach((text, call) -> assertEquals(text, assertThrows(RequestException.class, call::get).getMessage()));
      assertThrows(IllegalArgumentException.class, () -> new OpenPaymentTokenRequest().expectedAmount(-1));
      assertThrows(NullPointerException.class, () -> client.describeKey(null));
      for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1))) assertThrows(IllegalArgumentException.class, () -> CallOptions.options().timeout(none));
      assertThrows(IllegalArgumentException.class, () -> CallOptions.options().requestId(0));
      assertEquals(255, CallOptions.options().requestId("00000000000000ff").requestId);
      assertEquals(0xfcdb4b423f4e5283L, CallOptions.options().requestId("0000000000000000").requestId);
      assertEquals(List.of(), server.requests());
    }
  }

  @Test
  void secretsAreNotPrinted() throws IOException {
    try (FakeServer server = new FakeServer(); Client client = server.client()) {
      server.answer = HexFormat.of().parseHex("0000001a01000005000000000000000100000000000000290a0461626364");
      Secret secret = draw(client, 4);
      assertEquals("abcd", secret.text());
      assertFalse(secret.toString().contains("abcd") || (secret + " " + List.of(secret)).contains("abcd"));
      secret.destroy();
      assertTrue(secret.isDestroyed());
      assertArrayEquals(new byte[4], secret.bytes());
    }
  }

  @Test
  void listingThatDoesNotGoOn() throws IOException {
    for (String labels : List.of("ba", "aa")) {
      ByteBuffer answer = ByteBuffer.allocate(24 + 2 * 23).putInt(20 + 2 * 23).put((byte) 1).put((byte) 0).putShort((short) 3).putLong(1).putLong(41);
      for (char label : labels.toCharArray()) answer.put(new byte[] {0x0A, 21, 0x0A, 16}).put(KEY).put(new byte[] {0x12, 1, (byte) label});
      try (FakeServer server = new FakeServer(); Client client = server.client()) {
        server.answer = answer.array();
        assertEquals("a listing whose labels do not ascend", thrown(() -> client.keys("", "")).getMessage());
      }
    }
  }

  @Test
  void jws() {
    byte[] input = Jws.input(SignatureScheme.ED25519, Map.of("kid", "k"), "{}".getBytes(StandardCharsets.UTF_8));
    assertEquals("eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.AQID", Jws.compact(input, new byte[] {1, 2, 3}));
    assertThrows(IllegalArgumentException.class, () -> Jws.input(SignatureScheme.ECDSA_P256_SHA256, Map.of(), new byte[0]));
    for (Map<String, Object> header : List.<Map<String, Object>>of(Map.of("alg", "none"), Map.of("kid", "a\"b"), Map.of("exp", -1L), Map.of("exp", "1"))) {
      assertThrows(IllegalArgumentException.class, () -> Jws.input(SignatureScheme.ED25519, header, new byte[0]));
    }
  }
}
