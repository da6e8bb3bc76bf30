import net from "node:net";

import { Busy, Disconnected, KistError, Refused, ReplyError, Timeout, Unreachable } from "./errors.js";
import { answer, Replies } from "./frame.js";
import { wipeSecrets } from "./secret.js";

/** So many requests of a connection are worked on at once; a daemon reads no more (`describe`). */
const IN_FLIGHT = 32;
/** Milliseconds between two attempts while the daemon's backlog is full. */
const CONNECT_PAUSE = 10;
/** The bytes of a Unix socket's path that the kernel takes. */
const PATH_MOST = 107;

/** A request and the promise of its answer. Once settled, nobody waits for its reply any more. */
class Call {
  requestId = null;
  isSettled = false;
  /** Whether the whole frame was handed to the kernel. */
  isWritten = false;
  wasPutBack = false;
  #timer;
  #onAbort;

  constructor(request, options, gaveUp) {
    this.request = request;
    this.options = options;
    this.answered = new Promise((resolve, reject) => {
      this.resolve = (value) => this.#settle(resolve, value);
      this.reject = (error) => this.#settle(reject, error);
    });
    if (options.timeout !== null) this.#timer = setTimeout(() => gaveUp(this, null), options.timeout);
    if (options.signal) {
      this.#onAbort = () => gaveUp(this, options.signal.reason);
      options.signal.addEventListener("abort", this.#onAbort, { once: true });
    }
  }

  /** Rejects with an error of this package, which then names the call. */
  fail(error) {
    error.requestId ??= this.requestId ?? this.options.requestId;
    this.reject(error);
  }

  #settle(how, value) {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.#timer);
    this.options.signal?.removeEventListener("abort", this.#onAbort);
    how(value);
  }
}

/**
 * A connection to `kistd` that opens when it is used, and again when it has ended. Calls go out in order, without waiting for replies, and each
 * reply is that of the oldest call in flight. No frame is sent twice.
 */
export class Connection {
  #path;
  #waiting = [];
  #flying = [];
  #socket = null;
  #replies = new Replies();
  /** `closed`, `connecting`, `open`, or `looking` whether an idle connection has ended meanwhile. */
  #state = "closed";
  #hasAnswered = false;
  #wasLookedAt = false;
  #isBacklogFull = false;
  #lastId = 0n;

  constructor(path) {
    this.#path = path;
  }

  /** The answer to a request; `options` are `timeout` in milliseconds or null, `signal` and `requestId` or null. */
  call(request, options) {
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    const call = new Call(request, options, (...what) => this.#gaveUp(...what));
    this.#waiting.push(call);
    this.#pump();
    return call.answered;
  }

  /** Ends the connection, and every call on it; another call opens a new one. */
  close() {
    this.#end(() => new Disconnected("the client was closed"));
    for (const call of this.#waiting.splice(0)) call.fail(new Disconnected("the client was closed"));
  }

  /** Does what can be done now. */
  #pump() {
    while (this.#waiting[0]?.isSettled) this.#waiting.shift();
    if (!this.#waiting.length) {
      if (!this.#flying.length) this.#socket?.unref(); // an idle connection keeps no program from ending
      return;
    }
    this.#socket?.ref();
    if (this.#state === "closed") this.#connect();
    else if (this.#state === "open") this.#sendWaiting();
  }

  #connect() {
    if (Buffer.byteLength(this.#path) > PATH_MOST) return this.#unreachable("ENAMETOOLONG");
    this.#state = "connecting";
    const socket = net.connect({ path: this.#path });
    this.#socket = socket;
    this.#replies = new Replies();
    this.#hasAnswered = this.#wasLookedAt = false;
    socket.on("connect", () => {
      this.#isBacklogFull = false;
      this.#look(socket);
    });
    socket.on("data", (chunk) => this.#receive(socket, chunk));
    socket.on("end", () => this.#ended(socket, null));
    socket.on("error", (error) => this.#ended(socket, error));
    socket.on("close", () => this.#ended(socket, null));
  }

  /** Has the event loop tell what it knows of a connection before something is sent: that it has ended, or that the daemon takes no more. */
  #look(socket) {
    this.#state = "looking";
    const seen = () => {
      if (this.#socket !== socket) return;
      this.#state = "open";
      this.#wasLookedAt = true;
      this.#pump();
    };
    setImmediate(() => setImmediate(seen));
  }

  #sendWaiting() {
    if (!this.#flying.length && !this.#wasLookedAt) return this.#look(this.#socket);
    this.#wasLookedAt = false;
    this.#socket.cork();
    while (this.#waiting.length && this.#flying.length < IN_FLIGHT) {
      const call = this.#waiting.shift();
      if (!call.isSettled) this.#send(call);
    }
    this.#socket.uncork();
  }

  #send(call) {
    this.#name(call);
    const frame = call.request.frame(call.requestId);
    this.#flying.push(call);
    this.#socket.write(frame, (error) => {
      frame.fill(0);
      call.isWritten = !error;
    });
  }

  #name(call) {
    call.requestId = call.options.requestId ?? ++this.#lastId;
  }

  #receive(socket, chunk) {
    if (this.#socket !== socket) return chunk.fill(0);
    this.#replies.push(chunk);
    try {
      for (let reply; this.#socket === socket && (reply = this.#replies.next()); ) this.#take(reply);
    } catch (error) {
      this.#end(() => error);
    }
    this.#pump();
  }

  /** Gives a reply to the oldest call; throws what ends the connection. */
  #take(reply) {
    const isFirst = !this.#hasAnswered;
    this.#hasAnswered = true;
    const call = this.#flying.shift() ?? (isFirst ? this.#addressed() : undefined);
    if (!call) throw new ReplyError("a reply that nobody asked for");
    try {
      const found = answer(call.request, call.requestId, reply, isFirst);
      if (call.isSettled) wipeSecrets(found); // nobody waits for it any more
      else call.resolve(found);
    } catch (error) {
      call.fail(error);
      if (error instanceof Refused && !error.endsConnection) return;
      throw error instanceof Busy || error instanceof ReplyError ? error : new Disconnected("the daemon closes after a malformed request");
    }
  }

  /** Whom a reply is for that came before anything was sent: the daemon says to whoever connects that it takes no more [WIRE-21]. */
  #addressed() {
    const call = this.#waiting.shift();
    if (call) this.#name(call);
    return call;
  }

  #ended(socket, error) {
    if (this.#socket !== socket) return;
    if (this.#state === "connecting") return this.#refused(error);
    const [only, ...others] = this.#flying;
    // A frame that the kernel did not take whole is never carried out, so this is no second time.
    if (only && !others.length && !only.isWritten && !only.wasPutBack && !this.#replies.isAmidst) {
      this.#flying = [];
      only.wasPutBack = true;
      this.#waiting.unshift(only);
    }
    this.#end(() => new Disconnected(error ? `the connection broke: ${error.code}` : "the connection ended before the reply"));
    this.#pump();
  }

  /** Nobody listens, or the backlog is full: then it tries again for as long as anybody waits. */
  #refused(error) {
    this.#drop();
    if (error?.code !== "EAGAIN") return this.#unreachable(error?.code ?? "ECONNRESET");
    this.#isBacklogFull = true;
    this.#state = "connecting";
    setTimeout(() => {
      if (this.#state !== "connecting" || this.#socket) return;
      this.#state = "closed";
      this.#pump();
    }, CONNECT_PAUSE);
  }

  #unreachable(code) {
    this.#drop();
    for (const call of this.#waiting.splice(0)) call.fail(new Unreachable(this.#path, code));
  }

  /** Ends the connection; each call in flight on it fails with an error of its own. */
  #end(error) {
    this.#drop();
    for (const call of this.#flying.splice(0)) call.fail(error());
  }

  #drop() {
    this.#socket?.destroy();
    this.#socket = null;
    this.#state = "closed";
    this.#replies.wipe();
  }

  /** A call whose time is over, or that its caller has no more use for. */
  #gaveUp(call, reason) {
    if (reason !== null) call.reject(reason);
    else if (!this.#flying.includes(call) && this.#isBacklogFull) call.fail(new Unreachable(this.#path, "EAGAIN"));
    else call.fail(new Timeout(this.#flying.includes(call) ? "the reply did not come in time" : "the request could not be sent in time"));
    // Where nobody waits for any reply any more, the next call may do better on another connection.
    if (this.#flying.length && this.#flying.every((each) => each.isSettled)) this.#end(() => new KistError("unused"));
    this.#pump();
  }
}
