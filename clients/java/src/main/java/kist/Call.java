package kist;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/** A request and where its answer goes: to a thread that waits for it, or to a future. */
final class Call<R extends Message & Answered> {
  final int opcode;
  final String name;
  final R reply;
  final boolean isEmpty;
  final long requestId;
  /** The {@link System#nanoTime} at which nobody waits for it any more. */
  final long until;
  final byte[] frame;
  private final byte[] retryKey;
  /** Whom the answer wakes; null if it is for the future. */
  final Thread waiter;
  final CompletableFuture<R> future;
  boolean wasPutBack;
  private KistException error;
  private volatile boolean isOver;

  Call(
      int opcode, String name, R reply, boolean isEmpty, byte[] frame, long requestId,
      byte[] retryKey, long until, CompletableFuture<R> future) {
    this.opcode = opcode;
    this.name = name;
    this.reply = reply;
    this.isEmpty = isEmpty;
    this.frame = frame;
    this.requestId = requestId;
    this.retryKey = retryKey;
    this.until = until;
    this.future = future;
    this.waiter = future == null ? Thread.currentThread() : null;
  }

  /** Whether nothing has come of it yet. */
  boolean isOpen() {
    return !isOver;
  }

  /** Whether somebody still waits for it: a future may be done without its call. */
  boolean isAwaited() {
    return !isOver && (future == null || !future.isDone());
  }

  /** The reply is filled, or there is an error. */
  void end(KistException with) {
    if (with != null) error = with.about(requestId, retryKey);
    isOver = true;
  }

  /** Of a call that is over, for the thread that waited. */
  R answer() {
    if (error == null) return reply;
    // It may have been made by another caller's thread, whose stack says nothing about this call.
    error.fillInStackTrace();
    throw error;
  }

  /** Of a call that is over, for the future. */
  void tell() {
    if (error == null) future.complete(reply);
    else future.completeExceptionally(error);
  }

  void wipe() {
    Arrays.fill(frame, (byte) 0);
  }
}
