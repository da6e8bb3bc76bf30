package kist;

import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A connection to {@code kistd} that opens when it is used, and again when it has ended. Calls of all threads go out in order, without waiting for replies, and each reply is
 * that of the oldest call in flight. It has two threads of its own, one that sends and one that reads: so a caller's interrupt ends no connection, and a frame is
 * always sent whole.
 */
final class Connection {
  /** A daemon works on no more requests of a connection at once. */
  private static final int IN_FLIGHT = 32;
  /** Milliseconds between two attempts while the daemon's backlog is full. */
  private static final int PAUSE = 10;
  /** The bytes of a Unix socket's path that the kernel takes. */
  private static final int PATH_MOST = 107;

  /** A request and where its answer goes; if the future is done, nobody waits for it any more. */
  static final class Call<R extends Message & Answered> {
    final int opcode;
    final String name;
    final R reply;
    final boolean isEmpty;
    final CompletableFuture<R> future = new CompletableFuture<>();
    private final byte[] frame;
    long requestId;
    private boolean wasPutBack;

    Call(int opcode, String name, R reply, boolean isEmpty, byte[] frame, long requestId) {
      this.opcode = opcode;
      this.name = name;
      this.reply = reply;
      this.isEmpty = isEmpty;
      this.frame = frame;
      this.requestId = requestId;
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
  private SocketChannel channel;
  private boolean hasAnswered;
  private boolean isSending;
  private boolean isBacklogFull;
  private boolean isClosed;
  /** Those that are being written just now. */
  private List<Call<?>> leaving = List.of();
  private KistException endedBy;

  Connection(String path) {
    this.path = path;
  }

  /** Queues a call, which is sent when its turn comes. */
  void put(Call<?> call) {
    lock.lock();
    try {
      // First, since it may throw: a call that is waiting then has somebody who sends it.
      if (!isSending) start("kist-send", this::sendAll);
      isSending = true;
      waiting.add(call);
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
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
      news.signalAll();
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

  /** Sends as long as there is something; another thread begins with the next call after a while without any. */
  private void sendAll() {
    lock.lock();
    try {
      while (true) {
        waiting.removeIf(Call::wipeIfOver);
        if (waiting.isEmpty()) {
          if (news.awaitNanos(60_000_000_000L) > 0 || !waiting.isEmpty()) continue;
          return;
        }
        if (channel == null) connect();
        else if (flying.size() == IN_FLIGHT) news.await();
        else send();
      }
    } catch (InterruptedException error) {
      // Nobody interrupts a thread that is this class's own.
    } finally {
      isSending = false;
      lock.unlock();
    }
  }

  private void connect() throws InterruptedException {
    SocketChannel opened = null;
    try {
      if (path.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > PATH_MOST) throw new IOException("File name too long");
      opened = SocketChannel.open(StandardProtocolFamily.UNIX);
      opened.configureBlocking(false); // otherwise it would wait for the backlog, however long
      if (!opened.connect(UnixDomainSocketAddress.of(Path.of(path)))) throw new SocketException("the backlog is full");
      isBacklogFull = false;
      opened.configureBlocking(true);
      SocketChannel own = opened;
      start("kist-read", () -> read(own)); // which waits for the lock before it takes anything; without it, there is no connection
      channel = opened;
      hasAnswered = false;
    } catch (IOException error) {
      // The JDK has no class for EAGAIN, and its text is in the user's language: of what else it could be, one needs that there is no file, and others have a class.
      isBacklogFull = error.getClass() == SocketException.class && Files.exists(Path.of(path));
      if (isBacklogFull) {
        news.await(PAUSE, java.util.concurrent.TimeUnit.MILLISECONDS);
        return;
      }
      failWaiting(() -> new UnreachableException(path + ": " + error.getMessage()));
    } finally {
      if (channel != opened) closeQuietly(opened);
    }
  }

  private void failWaiting(Supplier<KistException> reason) {
    for (Call<?> call : waiting) {
      call.future.completeExceptionally(reason.get());
      call.wipe();
    }
    waiting.clear();
  }

  /** Sends what may go out, in one piece; without the lock, so that replies are taken meanwhile. */
  private void send() {
    List<Call<?>> batch = new ArrayList<>();
    int size = 0;
    while (!waiting.isEmpty() && flying.size() < IN_FLIGHT) {
      Call<?> call = waiting.remove();
      if (call.wipeIfOver()) continue;
      batch.add(call);
      flying.add(call);
      size += call.frame.length;
    }
    SocketChannel own = channel;
    boolean wasAnswered = hasAnswered;
    boolean isAlone = batch.size() == 1 && flying.size() == 1;
    leaving = batch;
    ByteBuffer frames = ByteBuffer.allocate(size);
    for (Call<?> call : batch) frames.put(call.frame);
    frames.flip();
    lock.unlock();
    boolean isSent = false;
    try {
      while (frames.hasRemaining()) own.write(frames);
      isSent = true;
    } catch (IOException error) {
      shutdownQuietly(own);
    } finally {
      lock.lock();
      Arrays.fill(frames.array(), (byte) 0);
    }
    leaving = List.of();
    boolean isEnded = channel != own;
    if (!isSent && isAlone && wasAnswered && !isClosed && !batch.get(0).wasPutBack) {
      // A frame that the kernel did not take whole is never carried out, so this is no second time.
      batch.get(0).wasPutBack = true;
      flying.clear();
      waiting.addFirst(batch.get(0));
      if (!isEnded) end(null);
      return;
    }
    for (Call<?> call : batch) call.wipe();
    if (isEnded) for (Call<?> call : batch) call.future.completeExceptionally(copy(endedBy));
    else if (!isSent) awaitEnd(own);
  }

  /** Nothing more can be sent, but what the daemon said before it closed the connection is read all the same [WIRE-19]. */
  private void awaitEnd(SocketChannel own) {
    while (channel == own) news.awaitUninterruptibly();
  }

  /** Takes replies until the connection ends. */
  private void read(SocketChannel own) {
    KistException reason = new DisconnectedException("the connection ended before the reply");
    try {
      while (true) {
        ByteBuffer length = filled(own, ByteBuffer.allocate(Frames.LENGTH_SIZE));
        if (length == null) break;
        ByteBuffer frame = filled(own, ByteBuffer.allocate(Frames.checkedLength(length.getInt())));
        if (frame == null) break;
        take(own, frame.array());
      }
    } catch (IOException error) {
      reason = new DisconnectedException("the connection broke: " + error.getMessage());
    } catch (KistException error) {
      reason = error;
    } finally {
      // Whatever it was, a connection that nobody reads is none.
      ended(own, reason);
    }
  }

  private void ended(SocketChannel own, KistException reason) {
    lock.lock();
    try {
      if (channel == own) end(reason);
    } finally {
      lock.unlock();
    }
  }

  /** A buffer that is full, ready to be read from; null if the connection ended before. */
  private static ByteBuffer filled(SocketChannel own, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) if (own.read(buffer) < 0) return null;
    return buffer.flip();
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
      // What comes before anything was sent is for whoever waits: the daemon says that it takes no more [WIRE-21].
      call = !flying.isEmpty() ? flying.remove() : isFirst && !waiting.isEmpty() ? waiting.remove() : null;
      news.signalAll();
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

  /** Ends the connection; calls in flight on it fail, but for those that are being written: {@link #send} knows whether they went out. */
  private void end(KistException reason) {
    closeQuietly(channel);
    channel = null;
    endedBy = reason;
    for (Call<?> call : flying) if (!leaving.contains(call)) call.future.completeExceptionally(copy(reason));
    flying.clear();
    news.signalAll();
  }

  /** Each call has an error of its own, which names it. */
  private static KistException copy(KistException reason) {
    if (reason instanceof RefusedException refused) return new RefusedException(refused.status(), refused.auditSequence(), refused.endsConnection());
    return reason instanceof ReplyException ? new ReplyException(reason.getMessage()) : new DisconnectedException(reason.getMessage());
  }

  private static void closeQuietly(SocketChannel channel) {
    try {
      if (channel != null) channel.close();
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
