package kist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who serves a connection: one of the threads that wait, or the client's own. */
final class ServingTest {
  private FakeServer server;
  private Client client;

  @BeforeEach
  void start() throws IOException {
    server = new FakeServer();
    client = new Client("unix:" + server.folder + "/fake.sock", Duration.ofSeconds(20));
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  /** A thread with one blocking call. */
  private final class Caller {
    private final CompletableFuture<Integer> drawn = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean wasInterrupted;

    Caller(int count, CallOptions... options) {
      thread = new Thread(() -> {
        try {
          drawn.complete(draw(count, options));
        } catch (Throwable error) {
          wasInterrupted = Thread.currentThread().isInterrupted();
          drawn.completeExceptionally(error);
        }
      }, "caller");
      thread.start();
    }

    int count() throws Exception {
      return drawn.get(20, TimeUnit.SECONDS);
    }

    Throwable error() throws Exception {
      return drawn.handle((count, error) -> error).get(20, TimeUnit.SECONDS);
    }

    boolean hasDrawnOrGivenUp() throws Exception {
      Throwable error = error();
      return error == null || error instanceof GivenUpException;
    }

    boolean isIn(String method) {
      return Arrays.stream(thread.getStackTrace())
          .filter(frame -> frame.getClassName().equals("kist.Connection"))
          .anyMatch(frame -> frame.getMethodName().equals(method));
    }
  }

  private int draw(int count, CallOptions... options) {
    return client.random(new RandomRequest().count(count), options).random().bytes().length;
  }

  private CompletableFuture<Integer> post(int count) {
    return client.randomAsync(new RandomRequest().count(count))
        .thenApply(reply -> reply.random().bytes().length);
  }

  private static void eventually(BooleanSupplier isSo) throws InterruptedException {
    long end = System.nanoTime() + 10_000_000_000L;
    for (; !isSo.getAsBoolean(); Thread.sleep(1)) assertTrue(System.nanoTime() < end, "it does not come");
  }

  private static long ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("kist")).count();
  }

  /** One that serves, and those that wait for it; the server's answers wait for the gate. */
  private List<Caller> callers(CountDownLatch gate, int followers, CallOptions... options)
      throws Exception {
    server.gate = gate;
    List<Caller> callers = new ArrayList<>(List.of(new Caller(1, options)));
    eventually(() -> callers.get(0).isIn("read") && server.requests().size() == 1);
    for (int i = 0; i < followers; i++) {
      Caller next = new Caller(i + 2);
      callers.add(next);
      eventually(() -> next.isIn("await") && next.thread.getState() == Thread.State.WAITING);
      assertFalse(next.isIn("read"));
    }
    return callers;
  }

  @Test
  void blockingCallsNeedNoThread() {
    long before = ownThreads();
    for (int i = 1; i <= 100; i++) assertEquals(i, draw(i));
    assertTrue(ownThreads() <= before);
  }

  /** One of two that waited reads on, and both get their answers. */
  private void assertTakenOver(List<Caller> callers, CountDownLatch gate) throws Exception {
    eventually(() -> callers.get(1).isIn("read") || callers.get(2).isIn("read"));
    gate.countDown();
    assertEquals(List.of(2, 3), List.of(callers.get(1).count(), callers.get(2).count()));
    assertEquals(List.of(9, 1), List.of(draw(9), server.connections()));
  }

  @Test
  void serverTimesOut() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CallOptions options = CallOptions.options().timeout(Duration.ofMillis(400));
    List<Caller> callers = callers(gate, 2, options);
    assertInstanceOf(CallTimeoutException.class, callers.get(0).error());
    assertTakenOver(callers, gate);
  }

  @Test
  void serverIsInterrupted() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    List<Caller> callers = callers(gate, 2);
    callers.get(0).thread.interrupt();
    assertInstanceOf(GivenUpException.class, callers.get(0).error());
    assertTrue(callers.get(0).wasInterrupted);
    assertTakenOver(callers, gate);
  }

  @Test
  void onesThatWaitAreInterrupted() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    List<Caller> callers = callers(gate, 3);
    for (int i = 1; i < 3; i++) callers.get(i).thread.interrupt();
    for (int i = 1; i < 3; i++) assertInstanceOf(GivenUpException.class, callers.get(i).error());
    gate.countDown();
    assertEquals(List.of(1, 4), List.of(callers.get(0).count(), callers.get(3).count()));
    assertEquals(1, server.connections());
  }

  @Test
  void interruptedBefore() throws Exception {
    draw(1);
    Thread.currentThread().interrupt();
    KistException error = null;
    try {
      draw(2);
    } catch (KistException thrown) {
      error = thrown;
    }
    assertTrue(Thread.interrupted());
    assertInstanceOf(GivenUpException.class, error);
    assertEquals(List.of(3, 1), List.of(draw(3), server.connections()));
  }

  private static void assertLost(List<Caller> callers) throws Exception {
    List<Object> seen = new ArrayList<>();
    for (Caller caller : callers) {
      DisconnectedException error = assertInstanceOf(DisconnectedException.class, caller.error());
      for (Object other : seen) assertNotSame(other, error);
      seen.add(error);
      // Its stack is the caller's own, whoever read.
      StackTraceElement[] stack = error.getStackTrace();
      assertTrue(Arrays.stream(stack).anyMatch(frame -> frame.getMethodName().equals("await")));
      assertFalse(Arrays.stream(stack).anyMatch(frame -> frame.getMethodName().equals("serve")));
    }
    assertEquals(callers.size(), callers.stream().map(ServingTest::requestId).distinct().count());
  }

  private static Long requestId(Caller caller) {
    return caller.drawn.handle((count, error) -> ((KistException) error).requestId()).join();
  }

  @Test
  void connectionDies() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    List<Caller> callers = callers(gate, 5);
    CompletableFuture<Integer> posted = post(9);
    server.hangUp();
    assertLost(callers);
    gate.countDown();
    // It may not have been sent yet, and goes out on another connection then.
    Throwable error = posted.handle((count, thrown) -> thrown).get(20, TimeUnit.SECONDS);
    if (error != null) assertInstanceOf(DisconnectedException.class, error.getCause());
    assertEquals(3, draw(3));
  }

  @Test
  void clientIsClosed() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    List<Caller> callers = callers(gate, 5);
    client.close();
    assertLost(callers);
    gate.countDown();
    assertEquals(3, draw(3));
  }

  /** The first of them writes to a connection that has ended, which nobody has looked at meanwhile. */
  @Test
  void hungUpOnWhileIdle() throws Exception {
    for (int i = 0; i < 20; i++) {
      assertEquals(1, draw(1));
      int count = i + 1;
      server.hangUp();
      eventually(() -> server.closed() == count);
      List<Caller> callers = new ArrayList<>();
      for (int n = 0; n < 8; n++) callers.add(new Caller(n + 1));
      for (int n = 0; n < 8; n++) assertEquals(n + 1, callers.get(n).count());
      assertEquals(count + 1, server.connections());
    }
  }

  @Test
  void futureWhileNobodyWaits() throws Exception {
    CompletableFuture<Integer> posted = post(5);
    eventually(posted::isDone);
    assertEquals(5, posted.join());
  }

  @Test
  void futureBesideThreadThatServes() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    List<Caller> callers = callers(gate, 1);
    CompletableFuture<String> ran = new CompletableFuture<>();
    CompletableFuture<Integer> posted = post(7);
    posted.whenComplete((count, error) -> ran.complete(Thread.currentThread().getName()));
    gate.countDown();
    for (int i = 0; i < 2; i++) assertEquals(i + 1, callers.get(i).count());
    // No caller's thread runs what another has hung onto a future.
    assertEquals("kist", ran.get(20, TimeUnit.SECONDS));
    assertEquals(List.of(7, 1), List.of(posted.join(), server.connections()));
  }

  @Test
  void threadBesideFutureThatIsServed() throws Exception {
    CountDownLatch gate = held();
    CompletableFuture<Integer> posted = post(7);
    eventually(() -> server.requests().size() == 1);
    Caller caller = new Caller(2);
    Caller late = new Caller(3, CallOptions.options().timeout(Duration.ofMillis(50)));
    assertInstanceOf(CallTimeoutException.class, late.error());
    gate.countDown();
    assertEquals(List.of(7, 2), List.of(posted.get(20, TimeUnit.SECONDS), caller.count()));
    assertEquals(1, server.connections());
  }

  /** The server's answers wait, so that what hangs onto a future runs where it is completed. */
  private CountDownLatch held() {
    server.gate = new CountDownLatch(1);
    return server.gate;
  }

  @Test
  void slowCallback() throws Exception {
    CountDownLatch answers = held();
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<String> isIn = new CompletableFuture<>();
    CompletableFuture<Void> slow = post(7).thenAccept(count -> {
      isIn.complete(Thread.currentThread().getName());
      try {
        goOn.await();
      } catch (InterruptedException error) {
        throw new IllegalStateException(error);
      }
    });
    answers.countDown();
    assertEquals("kist", isIn.get(20, TimeUnit.SECONDS));
    CompletableFuture<Integer> behind = post(8);
    for (int i = 1; i < 10; i++) assertEquals(i, draw(i));
    assertFalse(behind.isDone() || slow.isDone());
    goOn.countDown();
    assertEquals(8, behind.get(20, TimeUnit.SECONDS));
  }

  @Test
  void callbackThatWaits() throws Exception {
    CountDownLatch answers = held();
    CompletableFuture<Integer> first = post(7).thenApply(count -> {
      Thread.currentThread().interrupt(); // is not for the next one
      return count;
    });
    CompletableFuture<Integer> second = post(8).thenApply(count -> draw(count));
    answers.countDown();
    assertEquals(7, first.get(20, TimeUnit.SECONDS));
    assertEquals(8, second.get(20, TimeUnit.SECONDS));
  }

  @Test
  void givenUpFutureAndThreadThatServes() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    List<Caller> callers = callers(gate, 0);
    CompletableFuture<RandomReply> given = client.randomAsync(new RandomRequest().count(5));
    assertTrue(given.cancel(false) && given.cancel(false));
    CompletableFuture<RandomReply> done = client.randomAsync(new RandomRequest().count(6));
    done.completeExceptionally(new IllegalStateException("by the caller"));
    gate.countDown();
    assertEquals(1, callers.get(0).count());
    assertEquals(8, post(8).get(20, TimeUnit.SECONDS));
    assertEquals(List.of(3, 1), List.of(draw(3), server.connections()));
  }

  /** Blocking calls, futures, time-outs and interrupts at once; who is left gets its own answer. */
  @Test
  void manyAtOnce() throws Exception {
    List<Caller> callers = new ArrayList<>();
    List<CompletableFuture<Integer>> posted = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      callers.add(new Caller(i % 100 + 1));
      if (i % 4 == 0) posted.add(post(i / 4 + 1));
      if (i % 5 == 4) callers.get(i).thread.interrupt();
    }
    for (int i = 0; i < 200; i++) {
      if (i % 5 != 4) assertEquals(i % 100 + 1, callers.get(i).count());
      else assertTrue(callers.get(i).hasDrawnOrGivenUp());
    }
    for (int i = 0; i < 50; i++) assertEquals(i + 1, posted.get(i).get(20, TimeUnit.SECONDS));
  }

  @Test
  void manyOneAfterAnother() throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> errors = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 8; i++) {
      int number = i;
      Thread thread = new Thread(() -> {
        for (int n = 1; n <= 500; n++) {
          int count = ThreadLocalRandom.current().nextInt(1, 100);
          if (number == 7) assertEquals(count, post(count).join());
          else assertEquals(count, draw(count));
        }
      });
      thread.setUncaughtExceptionHandler((of, error) -> errors.add(error));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) thread.join();
    assertEquals(List.of(), errors);
    assertEquals(List.of(1, 4000), List.of(server.connections(), server.requests().size()));
  }
}
