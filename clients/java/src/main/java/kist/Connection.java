package kist;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A connection to {@code kistd} that opens when it is used, and again when it has ended. Calls of
 * all threads go out in order, without waiting for replies, and each reply is that of the oldest
 * call in flight.
 *
 * <p>One thread at a time serves the connection: it connects, sends what waits, reads, and ends
 * calls whose time is over. It is one that waits for its own call, until that is over; then another
 * such thread goes on. Only where calls are left that no thread waits for does a thread of the
 * client's own serve; it also completes all futures, so that no caller's thread runs what others
 * have hung onto theirs. The channel does not block, so a caller's interrupt does not close it, and
 * a frame is always sent whole.
 */
final class Connection {
  /** A daemon works on no more requests of a connection at once. */
  private static final int IN_FLIGHT = 32;
  /** Milliseconds between two attempts while the daemon's backlog is full. */
  private static final int PAUSE = 10;
  /** The bytes of a Unix socket's path that the kernel takes. */
  private static final int PATH_MOST = 107;
  /** How long the client's own thread stays when there is nothing for it to do. */
  private static final long LINGER = TimeUnit.SECONDS.toNanos(60);

  private final String path;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final ArrayDeque<Call<?>> waiting = new ArrayDeque<>();
  private final ArrayDeque<Call<?>> flying = new ArrayDeque<>();
  /** How many of these no thread waits for, and for how many one does. */
  private int posted;
  private int awaited;
  /** Over, and their futures are to be completed by the client's own thread. */
  private List<Call<?>> untold = new ArrayList<>();
  /** Of whoever serves. */
  private final Frames.Arrived arrived = new Frames.Arrived();
  private final Frames.Leaving leaving = new Frames.Leaving();
  private SocketChannel channel;
  private SelectionKey key;
  /** Nothing more can be sent on this channel. */
  private boolean isBroken;
  private boolean hasAnswered;
  private volatile boolean isServed;
  /** Who serves sends what waits before it waits again. */
  private volatile boolean isAwake;
  private boolean isRunning;
  private boolean isBacklogFull;
  /** When to look next whose time is over. */
  private long lookAt = System.nanoTime() + LINGER;

  Connection(String path) {
    this.path = path;
  }

  /** Carries a call out for the thread that waits, and serves the connection if nobody does. */
  <R extends Message & Answered> R await(Call<R> call) {
    lock.lock();
    try {
      put(call);
      if (!isServed) serve(call);
    } finally {
      lock.unlock();
    }
    if (call.isOpen()) follow(call);
    return call.answer();
  }

  /** Until its reply is there, or nobody serves any more, or the thread is interrupted. */
  private void follow(Call<?> call) {
    while (call.isOpen() && !Thread.currentThread().isInterrupted()) {
      if (isServed) LockSupport.park(this);
      else lead(call);
    }
    if (call.isOpen()) giveUp(call, "the thread was interrupted while it waited");
  }

  private void lead(Call<?> call) {
    lock.lock();
    try {
      if (!isServed) serve(call);
    } finally {
      lock.unlock();
    }
  }

  /** Has a call carried out whose answer is for its future. */
  void post(Call<?> call) {
    lock.lock();
    try {
      // First, since it may throw: a call that is waiting then has somebody who sends it.
      if (!isRunning) start();
      put(call);
      if (!isServed) news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody waits for a call any more. */
  void giveUp(Call<?> call, String why) {
    lock.lock();
    try {
      if (call.isOpen()) end(call, new GivenUpException(why));
      if (waiting.remove(call)) call.wipe();
      endIfUnawaited();
      if (!isServed) pass();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      end(new DisconnectedException("the client was closed"));
      endWaiting(() -> new DisconnectedException("the client was closed"));
    } finally {
      lock.unlock();
    }
  }

  // The client's own thread

  private void start() {
    Thread thread = new Thread(this::run, "kist");
    thread.setDaemon(true);
    thread.start();
    isRunning = true;
  }

  /** After a while without anything to do it ends, and another one begins when it is needed. */
  private void run() {
    lock.lock();
    try {
      while (true) {
        if (!untold.isEmpty()) tell();
        else if (posted > 0 && !isServed) serve(null);
        else if (news.awaitNanos(LINGER) <= 0 && untold.isEmpty() && posted == 0) return;
      }
    } catch (InterruptedException error) {
      // Nobody interrupts a thread that is this class's own.
    } finally {
      isRunning = false;
      lock.unlock();
    }
  }

  /** Completes futures, without the lock: what hangs onto them is others' code. */
  private void tell() {
    List<Call<?>> told = untold;
    untold = new ArrayList<>();
    lock.unlock();
    try {
      for (Call<?> call : told) {
        call.tell();
        Thread.interrupted(); // which that code may have caused
      }
    } finally {
      lock.lock();
    }
  }

  // With the lock, but for where it waits

  /** For a caller until its call is over, for the client's own thread as long as it is needed. */
  private void serve(Call<?> own) {
    isServed = true;
    isAwake = true;
    try {
      while (own == null ? isNeeded() : own.isOpen() && !Thread.currentThread().isInterrupted()) {
        endLate();
        if (channel != null) exchange();
        else if (!waiting.isEmpty()) connect();
      }
    } catch (RuntimeException | Error error) {
      // A caller's thread may have no stack or memory left, and a reply may be half taken.
      end(new DisconnectedException("the thread that read failed"));
      throw error;
    } finally {
      isServed = false;
      pass();
    }
  }

  private boolean isNeeded() {
    return posted > 0 && untold.isEmpty();
  }

  /** Has somebody else serve, if there are calls. */
  private void pass() {
    if (awaited > 0) {
      for (ArrayDeque<Call<?>> calls : List.of(flying, waiting)) {
        for (Call<?> call : calls) {
          if (call.waiter == null || !call.isOpen()) continue;
          LockSupport.unpark(call.waiter);
          return;
        }
      }
    }
    if (posted > 0) news.signalAll();
  }

  private void connect() {
    SocketChannel opened = null;
    Selector events = null;
    try {
      int length = path.getBytes(StandardCharsets.UTF_8).length;
      if (length > PATH_MOST) throw new IOException("File name too long");
      opened = SocketChannel.open(StandardProtocolFamily.UNIX);
      opened.configureBlocking(false); // otherwise it would wait for the backlog, however long
      boolean isTaken = opened.connect(UnixDomainSocketAddress.of(Path.of(path)));
      if (!isTaken) throw new SocketException("the backlog is full");
      isBacklogFull = false;
      events = Selector.open();
      key = opened.register(events, SelectionKey.OP_READ);
      arrived.wipe();
      channel = opened;
      isBroken = hasAnswered = false;
    } catch (IOException error) {
      // The JDK has no class for EAGAIN, and its text is in the user's language: of what else it
      // could be, one needs that there is no file, and others have a class.
      isBacklogFull = error.getClass() == SocketException.class && Files.exists(Path.of(path));
      if (isBacklogFull) pause();
      else endWaiting(() -> new UnreachableException(path + ": " + error.getMessage()));
    } finally {
      if (channel != opened) {
        closeQuietly(opened);
        closeQuietly(events);
      }
    }
  }

  private void pause() {
    try {
      news.await(PAUSE, TimeUnit.MILLISECONDS);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the calls whose time is over, if that may be so of one. */
  private void endLate() {
    long now = System.nanoTime();
    if (now - lookAt < 0) return;
    lookAt = now + LINGER;
    for (Call<?> call : flying) {
      if (isLate(call, now)) end(call, new CallTimeoutException("the reply did not come in time"));
    }
    for (Call<?> call : waiting) {
      if (isLate(call, now)) end(call, isBacklogFull
          ? new UnreachableException(path + ": the daemon takes no more connections")
          : new CallTimeoutException("the request could not be sent in time"));
    }
    waiting.removeIf(this::isDropped);
    endIfUnawaited();
  }

  private boolean isLate(Call<?> call, long now) {
    if (!call.isAwaited()) return false;
    if (call.until - lookAt < 0) lookAt = call.until;
    return call.until - now <= 0;
  }

  /** Sends what waits, waits until something has come or is to be done, and takes the replies. */
  private void exchange() {
    SocketChannel own = channel;
    send();
    if (channel != own) return;
    key.interestOps(SelectionKey.OP_READ | (leaving.isEmpty() ? 0 : SelectionKey.OP_WRITE));
    long rest = TimeUnit.NANOSECONDS.toMillis(lookAt - System.nanoTime()) + 1;
    Selector events = key.selector();
    KistException reason = null;
    isAwake = false;
    lock.unlock();
    try {
      reason = read(own, events, Math.max(rest, 1));
    } finally {
      lock.lock();
      isAwake = true;
    }
    if (channel == own) takeAll(reason);
  }

  /** Without the lock. Gives the reason why nothing more comes, or null. */
  private KistException read(SocketChannel own, Selector events, long milliseconds) {
    try {
      int count = events.select(each -> {}, milliseconds);
      isAwake = true;
      if (count == 0 || arrived.fill(own)) return null;
      return new DisconnectedException("the connection ended before the reply");
    } catch (ClosedSelectorException error) {
      return new DisconnectedException("it was closed");
    } catch (IOException error) {
      return new DisconnectedException("the connection broke: " + error.getMessage());
    }
  }

  /** Takes the replies that are there; ends the connection if one of them or the daemon does. */
  private void takeAll(KistException ended) {
    KistException reason = null;
    try {
      while (reason == null) {
        byte[] frame = arrived.next();
        if (frame == null) break;
        reason = take(frame);
      }
    } catch (ReplyException error) {
      reason = error;
    }
    if (reason == null) reason = ended;
    if (reason != null) end(reason);
  }

  /** Gives a reply to the oldest call; the result is why it ends the connection, or null. */
  private KistException take(byte[] frame) {
    boolean isFirst = !hasAnswered;
    hasAnswered = true;
    Call<?> call = flying.peek();
    if (call == null) return new ReplyException("a reply that nobody asked for");
    KistException error = null;
    try {
      Frames.answer(call, frame, isFirst);
    } catch (KistException thrown) {
      error = thrown;
    }
    flying.remove();
    end(call, error);
    return ending(error);
  }

  /** What the other calls in flight get after such an answer, or null. */
  private static KistException ending(KistException error) {
    if (!(error instanceof RefusedException refusal)) return error;
    if (!refusal.endsConnection()) return null;
    return refusal.status() == Status.BUSY
        ? refusal : new DisconnectedException("the daemon closes after a malformed request");
  }

  private void put(Call<?> call) {
    if (call.waiter == null) posted++;
    else awaited++;
    waiting.add(call);
    boolean isSooner = call.until - lookAt < 0;
    if (isSooner) lookAt = call.until;
    if (!isServed || isAwake || channel == null) return;
    if (call.waiter != null) send();
    if (channel != null && (isSooner || call.waiter == null)) wake();
  }

  /** Has who serves send what waits: calls that come while it wakes share a write. */
  private void wake() {
    if (isAwake) return;
    isAwake = true;
    key.selector().wakeup();
  }

  /** Sends what may go out, in one piece, as much as the kernel takes at once. */
  private void send() {
    if (isBroken || leaving.isEmpty() && (waiting.isEmpty() || flying.size() == IN_FLIGHT)) return;
    List<Call<?>> batch = new ArrayList<>();
    if (leaving.isEmpty()) gather(batch);
    try {
      leaving.drain(channel);
    } catch (IOException error) {
      broke(batch);
      return;
    }
    for (Call<?> call : batch) call.wipe();
    if (!leaving.isEmpty()) wake();
  }

  private void gather(List<Call<?>> batch) {
    while (!waiting.isEmpty() && flying.size() < IN_FLIGHT) {
      Call<?> call = waiting.remove();
      if (isDropped(call)) continue;
      batch.add(call);
      flying.add(call);
      leaving.add(call.frame);
    }
  }

  /** Wipes a call for which nobody waits any more, and says whether it is one. */
  private boolean isDropped(Call<?> call) {
    if (call.isAwaited()) return false;
    if (call.isOpen()) end(call, new GivenUpException("the call was given up"));
    call.wipe();
    return true;
  }

  /**
   * Nothing more can be sent, but what the daemon said before it closed the connection is read all
   * the same [WIRE-19].
   */
  private void broke(List<Call<?>> batch) {
    leaving.wipe();
    isBroken = true;
    shutdownQuietly(channel);
    if (!hasAnswered || !flying.stream().allMatch(call -> canGoAgain(call, batch))) {
      for (Call<?> call : batch) call.wipe();
      return;
    }
    // Frames that the kernel did not take whole are never carried out, so this is no second time.
    flying.removeAll(batch);
    for (int i = batch.size() - 1; i >= 0; i--) {
      batch.get(i).wasPutBack = true;
      waiting.addFirst(batch.get(i));
    }
    end(new DisconnectedException("nobody waited any more"));
  }

  private static boolean canGoAgain(Call<?> call, List<Call<?>> batch) {
    return batch.contains(call) && !call.wasPutBack || !call.isAwaited();
  }

  /** If nobody waits for any reply any more, the next call may do better on another connection. */
  private void endIfUnawaited() {
    if (flying.isEmpty() || flying.stream().anyMatch(Call::isAwaited)) return;
    end(new DisconnectedException("nobody waited any more"));
  }

  /** Ends the connection; calls in flight on it fail. */
  private void end(KistException reason) {
    if (channel == null) return;
    closeQuietly(channel);
    closeQuietly(key.selector());
    channel = null;
    leaving.wipe();
    for (Call<?> call : flying) end(call, copy(reason));
    flying.clear();
  }

  private void endWaiting(Supplier<KistException> reason) {
    for (Call<?> call : waiting) {
      end(call, reason.get());
      call.wipe();
    }
    waiting.clear();
  }

  /** Something has come of a call: it has its reply, or an error. */
  private void end(Call<?> call, KistException error) {
    if (!call.isOpen()) return;
    call.end(error);
    if (call.waiter == null) {
      posted--;
      untold.add(call);
      news.signalAll();
    } else {
      awaited--;
      if (call.waiter != Thread.currentThread()) LockSupport.unpark(call.waiter);
    }
  }

  /** Each call has an error of its own, which names it. */
  private static KistException copy(KistException reason) {
    if (reason instanceof RefusedException refused) {
      return new RefusedException(
          refused.status(), refused.auditSequence(), refused.endsConnection());
    }
    String text = reason.getMessage();
    if (reason instanceof ReplyException) return new ReplyException(text);
    return new DisconnectedException(text);
  }

  private static void closeQuietly(Closeable opened) {
    try {
      if (opened != null) opened.close();
    } catch (IOException error) {
      // It is of no use any more.
    }
  }

  private static void shutdownQuietly(SocketChannel channel) {
    try {
      channel.shutdownOutput();
    } catch (IOException error) {
      // It has ended already.
    }
  }
}
