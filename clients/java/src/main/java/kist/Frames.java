package kist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/** Frames (PROTOCOL.md section 2), and the meaning of replies. */
final class Frames {
  static final int LENGTH_SIZE = 4;
  static final int REPLY_HEADER_SIZE = 20;
  private static final byte VERSION = 1;
  /** Asks for the wait in a {@code busy} reply [WIRE-24]. */
  private static final int WAIT = 1;
  private static final int REQUEST_HEADER_SIZE = 28;
  private static final int REQUEST_MOST = 131072;
  private static final int REPLY_MOST = 1024 * 1024;
  private static final byte[] ZEROS = new byte[1024];

  private Frames() {}

  static byte[] request(int opcode, long id, KeyId key, byte[] body) {
    return request(opcode, id, key == null ? new byte[16] : key.bytes(), body, WAIT);
  }

  static byte[] request(int opcode, long id, byte[] key, byte[] body, int flags) {
    int length = REQUEST_HEADER_SIZE + body.length;
    if (length > REQUEST_MOST) throw new RequestException("the request is larger than the protocol takes");
    return ByteBuffer.allocate(LENGTH_SIZE + length)
        .putInt(length).put(VERSION).put((byte) flags).putShort((short) opcode).putLong(id).put(key).put(body).array();
  }

  /** Throws {@link ReplyException} for a length that no reply has [WIRE-4]. */
  static int checkedLength(int length) {
    if (length < REPLY_HEADER_SIZE || length > REPLY_MOST) throw new ReplyException("a reply of " + Integer.toUnsignedString(length) + " bytes");
    return length;
  }

  /** What has arrived, cut into replies; it keeps nothing of those that were taken. */
  static final class Arrived {
    /** The JDK would copy any other through one that it keeps, for each thread, and never wipes. */
    private ByteBuffer bytes = ByteBuffer.allocateDirect(8192);
    /** Behind it, up to the buffer's position, is what was not taken yet. */
    private int start;

    /** Takes what is there, and says whether the connection is still open. */
    boolean fill(SocketChannel from) throws IOException {
      if (!bytes.hasRemaining()) widen();
      return from.read(bytes) >= 0;
    }

    /** The next whole reply, its length stripped; null if none is there. */
    byte[] next() {
      int end = bytes.position();
      if (end - start < LENGTH_SIZE) return null;
      int from = start + LENGTH_SIZE;
      int length = checkedLength(bytes.getInt(start));
      if (end - from < length) return null;
      byte[] reply = new byte[length];
      bytes.get(from, reply);
      Frames.wipe(bytes, start, from + length);
      start = from + length;
      if (start == end) bytes.position(start = 0);
      return reply;
    }

    void wipe() {
      Frames.wipe(bytes, 0, bytes.position());
      bytes.position(start = 0);
    }

    private void widen() {
      int left = bytes.position() - start;
      ByteBuffer wider = ByteBuffer.allocateDirect(2 * left + 8192);
      wider.put(bytes.flip().position(start));
      Frames.wipe(bytes, 0, bytes.limit());
      start = 0;
      bytes = wider;
    }
  }

  /** Requests that the kernel has not taken yet. */
  static final class Leaving {
    private ByteBuffer bytes = ByteBuffer.allocateDirect(8192);
    /** How many of the bytes up to the buffer's position the kernel has. */
    private int sent;

    boolean isEmpty() {
      return bytes.position() == 0;
    }

    void add(byte[] frame) {
      if (bytes.remaining() < frame.length) widen(frame.length);
      bytes.put(frame);
    }

    /** Sends as much as the kernel takes at once. */
    void drain(SocketChannel to) throws IOException {
      int end = bytes.position();
      bytes.limit(end).position(sent);
      try {
        to.write(bytes);
      } finally {
        sent = bytes.position();
        bytes.limit(bytes.capacity()).position(end);
      }
      if (sent == end) wipe();
    }

    void wipe() {
      Frames.wipe(bytes, 0, bytes.position());
      bytes.position(sent = 0);
    }

    private void widen(int more) {
      ByteBuffer wider = ByteBuffer.allocateDirect(2 * (bytes.position() + more));
      int end = bytes.position();
      wider.put(bytes.flip());
      Frames.wipe(bytes, 0, end);
      bytes = wider;
    }
  }

  private static void wipe(ByteBuffer bytes, int from, int to) {
    int at = from;
    for (; to - at > ZEROS.length; at += ZEROS.length) bytes.put(at, ZEROS);
    bytes.put(at, ZEROS, 0, to - at);
  }

  /** The 20 bytes after a reply's length. */
  record Header(Status status, int opcode, long requestId, long auditSequence) {
    static Header read(byte[] reply) throws Flaw {
      ByteBuffer buffer = ByteBuffer.wrap(reply);
      if (buffer.get() != VERSION) throw new Flaw("version");
      int number = buffer.get() & 0xFF;
      for (Status each : Status.values()) {
        if (each.number() == number) return new Header(each, buffer.getShort() & 0xFFFF, buffer.getLong(), buffer.getLong());
      }
      throw new Flaw("bad-value", 0, null);
    }

    Long sequence() {
      return auditSequence == -1 ? null : auditSequence;
    }
  }

  /**
   * Fills a reply from a frame, its length stripped, which is wiped. {@code isFirst} says whether it is the first one of its connection. Throws {@link
   * RefusedException}, and {@link ReplyException} where the reply is not one to this request or breaks the protocol.
   */
  static <R extends Message & Answered> void answer(Call<R> call, byte[] frame, boolean isFirst) {
    try {
      Header header = Header.read(frame);
      boolean isEmpty = frame.length == REPLY_HEADER_SIZE;
      if (header.opcode != call.opcode || header.requestId != call.requestId) {
        boolean isAboutConnection = header.opcode == 0 && header.requestId == 0 && isEmpty;
        // [WIRE-8] and, as the first reply, [WIRE-21].
        if (isAboutConnection && (header.status == Status.MALFORMED || header.status == Status.BUSY && isFirst)) {
          throw new RefusedException(header.status, header.sequence(), true);
        }
        throw new Flaw("another request's reply"); // [WIRE-19]
      }
      if (header.status != Status.OK) throw refusal(header, frame);
      if (call.isEmpty && !isEmpty) throw new Flaw("trailing-bytes");
      if (!call.isAwaited()) return; // nobody waits for what is secret in it
      Reader.decode(call.reply, frame, REPLY_HEADER_SIZE, frame.length);
      call.reply.setAuditSequence(header.sequence());
    } catch (Flaw flaw) {
      throw new ReplyException(call.name + ": " + flaw.getMessage());
    } finally {
      Arrays.fill(frame, (byte) 0);
    }
  }

  /** What a status means, with the body that goes with it [WIRE-18]. */
  private static RefusedException refusal(Header header, byte[] frame) throws Flaw {
    boolean isEmpty = frame.length == REPLY_HEADER_SIZE;
    boolean ends = header.status == Status.MALFORMED;
    if (isEmpty && header.status != Status.APPROVAL_NEEDED) return new RefusedException(header.status, header.sequence(), ends);
    switch (header.status) {
      case APPROVAL_NEEDED: // [WIRE-20]
        return new RefusedException(header.status, header.sequence(), null, null, null, body(frame, new ApprovalNeededBody()), false);
      case MALFORMED: // [WIRE-22]
        return new RefusedException(header.status, header.sequence(), null, body(frame, new MalformationBody()), null, null, ends);
      case BUSY: // [WIRE-24]
        return new RefusedException(header.status, header.sequence(), null, null, body(frame, new BusyBody()), null, false);
      case REJECTED:
        return new RefusedException(header.status, header.sequence(), rejection(frame), null, null, null, false);
      default:
        throw new Flaw("trailing-bytes");
    }
  }

  private static <M extends Message> M body(byte[] frame, M message) throws Flaw {
    Reader.decode(message, frame, REPLY_HEADER_SIZE, frame.length);
    return message;
  }

  private static RejectionBody rejection(byte[] frame) throws Flaw {
    RejectionBody found = new RejectionBody();
    try {
      return body(frame, found);
    } catch (Flaw flaw) {
      // A stage of a later daemon is a rejection like any other (section 8); a field that is unknown takes nothing from its stage.
      if (!flaw.fault.equals("bad-value")) throw flaw;
      return found;
    }
  }
}
