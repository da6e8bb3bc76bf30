package kist;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A connection to {@code kistd} that opens when it is used, and again when it has ended. Calls of all threads go out in order, without waiting for replies, and each reply is
 * that of the oldest call in flight. Who calls while none is in flight writes, as much as the kernel
 * takes at once; a thread of its own does the rest: it connects, reads, writes for all who call
 * meanwhile, and ends calls whose time is over. The channel does not block, so a caller's interrupt
 * does not close it, and a frame is always sent whole.
 */
final class Connection {
  /** A daemon works on no more requests of a connection at once. */
  private static final int IN_FLIGHT = 32;
  /** Milliseconds between two attempts while the daemon's backlog is full. */
  private static final int PAUSE = 10;
  /** The bytes of a Unix socket's path that the kernel takes. */
  private static final int PATH_MOST = 107;
  /** How long the thread stays when there is neither a call nor a connection. */
  private static final long LINGER = TimeUnit.SECONDS.toNanos(60);

  /** A request and where its answer goes; if the future is done, nobody waits for it any more. */
  static final class Call<R extends Message & Answered> {
    final int opcode;
    final String name;
    final R reply;
    final boolean isEmpty;
    final CompletableFuture<R> future = new CompletableFuture<>();
    private final byte[] frame;
    /** The {@link System#nanoTime} at which nobody waits for it any more. */
    private final long until;
    long requestId;
    private boolean wasPutBack;

    Call(int opcode, String name, R reply, boolean isEmpty, byte[] frame, long requestId, long until) {
      this.opcode = opcode;
      this.name = name;
      this.reply = reply;
      this.isEmpty = isEmpty;
      this.frame = frame;
      this.requestId = requestId;
      this.until = until;
    }

    /** Wipes it if nobody waits for it any more, and says whether that is so. */
    private boolean wipeIfOver() {
      if (future.isDone()) wipe();
      return future.isDone();
    }

    private void wipe() {
      Arrays.fill(frame, (byte) 0);
    }

    private void take(byte[] answer, boolean isFirst) {
      try {
        Frames.answer(this, answer, isFirst);
        future.complete(reply);
      } catch (KistException error) {
        future.completeExceptionally(error);
        throw error;
      }
    }
  }

  private final String path;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final ArrayDeque<Call<?>> waiting = new ArrayDeque<>();
  private final ArrayDeque<Call<?>> flying = new ArrayDeque<>();
  private final Frames.Arrived arrived = new Frames.Arrived();
  private SocketChannel channel;
  private Selector selector;
  /** What the kernel did not take yet. */
  private ByteBuffer unsent;
  /** Nothing more can be sent on this channel. */
  private boolean isBroken;
  private boolean hasAnswered;
  /** The thread sends what waits before it waits again. */
  private volatile boolean isAwake;
  private boolean isRunning;
  private boolean isBacklogFull;
  private boolean isClosed;
  /** When the thread looks next whose time is over. */
  private long lookAt;

  Connection(String path) {
    this.path = path;
  }

  /** Sends a call, or queues it for its turn. */
  void put(Call<?> call) {
    lock.lock();
    try {
      // First, since it may throw: a call that is waiting then has somebody who sends it.
      if (!isRunning) start();
      waiting.add(call);
      if (channel == null) {
        news.signalAll();
        return;
      }
      if (flying.isEmpty()) send();
      else wake();
      if (channel != null && call.until - lookAt < 0) selector.wakeup();
    } finally {
      lock.unlock();
    }
  }

  /** Has the thread send what waits: calls that come while it wakes share a write. */
  private void wake() {
    if (isAwake) return;
    isAwake = true;
    selector.wakeup();
  }

  private void start() {
    Thread thread = new Thread(this::run, "kist");
    thread.setDaemon(true);
    thread.start();
    isRunning = true;
  }

  /** Whether a call that is not in flight waits for the daemon's backlog. */
  boolean isWaitingForBacklog(Call<?> call) {
    lock.lock();
    try {
      return isBacklogFull && !flying.contains(call);
    } finally {
      lock.unlock();
    }
  }

  boolean isFlying(Call<?> call) {
    lock.lock();
    try {
      return flying.contains(call);
    } finally {
      lock.unlock();
    }
  }

  /** After a call was given up: if nobody waits for any reply any more, the next call may do better on another connection. */
  void gaveUp() {
    lock.lock();
    try {
      if (!flying.isEmpty() && flying.stream().allMatch(call -> call.future.isDone())) end(new DisconnectedException("nobody waited any more"));
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      isClosed = true;
      end(new DisconnectedException("the client was closed"));
      failWaiting(() -> new DisconnectedException("the client was closed"));
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // The thread

  /** Serves one connection after the other; another thread begins with the next call after a while without any. */
  private void run() {
    lock.lock();
    try {
      while (true) {
        waiting.removeIf(Call::wipeIfOver);
        if (!waiting.isEmpty()) {
          connect();
          if (channel != null) serve(channel, selector);
        } else if (news.awaitNanos(LINGER) <= 0 && waiting.isEmpty()) {
          return;
        }
      }
    } catch (InterruptedException error) {
      // Nobody interrupts a thread that is this class's own.
    } finally {
      isRunning = false;
      lock.unlock();
    }
  }

  private void connect() throws InterruptedException {
    SocketChannel opened = null;
    Selector events = null;
    try {
      if (path.getBytes(StandardCharsets.UTF_8).length > PATH_MOST) throw new IOException("File name too long");
      opened = SocketChannel.open(StandardProtocolFamily.UNIX);
      opened.configureBlocking(false); // otherwise it would wait for the backlog, however long
      if (!opened.connect(UnixDomainSocketAddress.of(Path.of(path)))) throw new SocketException("the backlog is full");
      isBacklogFull = false;
      events = Selector.open();
      opened.register(events, SelectionKey.OP_READ);
      arrived.wipe();
      channel = opened;
      selector = events;
      isBroken = hasAnswered = false;
    } catch (IOException error) {
      // The JDK has no class for EAGAIN, and its text is in the user's language: of what else it could be, one needs that there is no file, and others have a class.
      isBacklogFull = error.getClass() == SocketException.class && Files.exists(Path.of(path));
      if (isBacklogFull) {
        late().forEach(call -> call.future.completeExceptionally(new TimeoutException()));
        news.await(PAUSE, TimeUnit.MILLISECONDS);
        return;
      }
      failWaiting(() -> new UnreachableException(path + ": " + error.getMessage()));
    } finally {
      if (channel != opened) {
        closeQuietly(opened);
        closeQuietly(events);
      }
    }
  }

  private void failWaiting(Supplier<KistException> reason) {
    for (Call<?> call : waiting) {
      call.future.completeExceptionally(reason.get());
      call.wipe();
    }
    waiting.clear();
  }

  /** Does what there is to do on a connection until it ends; with the lock, but for where it waits. */
  private void serve(SocketChannel own, Selector events) {
    while (channel == own) {
      send();
      if (channel != own) break;
      own.keyFor(events).interestOps(unsent == null ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
      List<Call<?>> late = late();
      long rest = TimeUnit.NANOSECONDS.toMillis(lookAt - System.nanoTime()) + 1;
      isAwake = false;
      lock.unlock();
      try {
        late.forEach(call -> call.future.completeExceptionally(new TimeoutException()));
        if (late.isEmpty()) read(own, events, Math.max(rest, 1));
      } finally {
        lock.lock();
      }
    }
    closeQuietly(events);
  }

  /** The calls whose time is over, for the thread to end without the lock; it looks again when that is so of the next one. */
  private List<Call<?>> late() {
    long now = System.nanoTime();
    lookAt = now + LINGER;
    List<Call<?>> late = new ArrayList<>();
    for (ArrayDeque<Call<?>> calls : List.of(flying, waiting)) {
      for (Call<?> call : calls) {
        if (call.future.isDone()) continue;
        if (call.until - now <= 0) late.add(call);
        else if (call.until - lookAt < 0) lookAt = call.until;
      }
    }
    return late;
  }

  /** Waits until something has come, or is to be done, and takes the replies that are there. */
  private void read(SocketChannel own, Selector events, long milliseconds) {
    KistException reason = new DisconnectedException("the connection ended before the reply");
    try {
      events.select(key -> {}, milliseconds);
      isAwake = true;
      boolean isOpen = arrived.fill(own);
      for (byte[] frame = arrived.next(); frame != null; frame = arrived.next()) take(own, frame);
      if (isOpen) return;
    } catch (IOException error) {
      reason = new DisconnectedException("the connection broke: " + error.getMessage());
    } catch (KistException error) {
      reason = error;
    }
    lock.lock();
    try {
      if (channel == own) end(reason);
    } finally {
      lock.unlock();
    }
  }

  /** Gives a reply to the oldest call; throws what ends the connection. */
  private void take(SocketChannel own, byte[] frame) {
    Call<?> call;
    boolean isFirst;
    lock.lock();
    try {
      if (channel != own) throw new DisconnectedException("it was closed");
      isFirst = !hasAnswered;
      hasAnswered = true;
      call = flying.poll();
    } finally {
      lock.unlock();
    }
    if (call == null) throw new ReplyException("a reply that nobody asked for");
    try {
      call.take(frame, isFirst);
    } catch (RefusedException refusal) {
      if (!refusal.endsConnection()) return;
      throw refusal.status() == Status.BUSY ? refusal : new DisconnectedException("the daemon closes after a malformed request");
    }
  }

  // With the lock

  /** Sends what may go out, in one piece, as much as the kernel takes at once. */
  private void send() {
    if (isBroken || unsent == null && (waiting.isEmpty() || flying.size() == IN_FLIGHT)) return;
    List<Call<?>> batch = new ArrayList<>();
    if (unsent == null) unsent = gather(batch);
    try {
      channel.write(unsent);
    } catch (IOException error) {
      broke(batch);
      return;
    }
    for (Call<?> call : batch) call.wipe();
    if (unsent.hasRemaining()) selector.wakeup();
    else wipeUnsent();
  }

  private ByteBuffer gather(List<Call<?>> batch) {
    int size = 0;
    while (!waiting.isEmpty() && flying.size() < IN_FLIGHT) {
      Call<?> call = waiting.remove();
      if (call.wipeIfOver()) continue;
      batch.add(call);
      flying.add(call);
      size += call.frame.length;
    }
    ByteBuffer frames = ByteBuffer.allocate(size);
    for (Call<?> call : batch) frames.put(call.frame);
    return frames.flip();
  }

  private void wipeUnsent() {
    if (unsent != null) Arrays.fill(unsent.array(), (byte) 0);
    unsent = null;
  }

  /** Nothing more can be sent, but what the daemon said before it closed the connection is read all the same [WIRE-19]. */
  private void broke(List<Call<?>> batch) {
    wipeUnsent();
    isBroken = true;
    shutdownQuietly(channel);
    if (batch.size() != 1 || flying.size() != 1 || !hasAnswered || isClosed || batch.get(0).wasPutBack) return;
    // A frame that the kernel did not take whole is never carried out, so this is no second time.
    batch.get(0).wasPutBack = true;
    flying.clear();
    waiting.addFirst(batch.get(0));
    end(null);
  }

  /** Ends the connection; calls in flight on it fail. */
  private void end(KistException reason) {
    if (channel == null) return;
    selector.wakeup();
    closeQuietly(channel);
    channel = null;
    wipeUnsent();
    for (Call<?> call : flying) call.future.completeExceptionally(copy(reason));
    flying.clear();
  }

  /** Each call has an error of its own, which names it. */
  private static KistException copy(KistException reason) {
    if (reason instanceof RefusedException refused) return new RefusedException(refused.status(), refused.auditSequence(), refused.endsConnection());
    return reason instanceof ReplyException ? new ReplyException(reason.getMessage()) : new DisconnectedException(reason.getMessage());
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
