package kist;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A server that is sound, or whatever a test makes it: it answers {@code random} with bytes of A5 and everything else with nothing. */
final class FakeServer implements AutoCloseable {
  /** To the first request, in place of a sound one; then it hangs up. */
  volatile byte[] answer;
  /** Is sent to whom connects, who is then hung up on. */
  volatile byte[] greeting;
  /** So many requests, the first ones, are taken and hung up on; so many are taken and never answered. */
  volatile int drops;
  volatile int silences;
  /** Requests on one connection. */
  volatile int hangUpAfter;
  /** Answers wait for it. */
  volatile CountDownLatch gate;

  final Path folder;
  private final ServerSocketChannel listener;
  private final List<SocketChannel> sockets = new ArrayList<>();
  private final List<byte[]> requests = new ArrayList<>();
  private int connections;
  private int closed;

  FakeServer() throws IOException {
    folder = Files.createTempDirectory("kist-fake-");
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(folder.resolve("fake.sock")));
    start(() -> {
      while (true) {
        SocketChannel socket = listener.accept();
        start(() -> serve(socket));
      }
    });
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void start(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception error) {
        // The other side hung up, or the test is over.
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  Client client() {
    return new Client("unix:" + folder + "/fake.sock", Duration.ofSeconds(2));
  }

  synchronized int connections() {
    return connections;
  }

  synchronized int closed() {
    return closed;
  }

  synchronized List<byte[]> requests() {
    return List.copyOf(requests);
  }

  synchronized void hangUp() throws IOException {
    for (SocketChannel socket : sockets) socket.close();
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    hangUp();
    Files.deleteIfExists(folder.resolve("fake.sock"));
    Files.deleteIfExists(folder);
  }

  private void serve(SocketChannel socket) throws Exception {
    synchronized (this) {
      connections++;
      sockets.add(socket);
    }
    try (socket) {
      if (greeting != null) {
        socket.write(ByteBuffer.wrap(greeting));
        return;
      }
      for (int served = 1; serveOne(socket, served); served++) { }
    } finally {
      synchronized (this) {
        closed++;
      }
    }
  }

  private boolean serveOne(SocketChannel socket, int served) throws Exception {
    ByteBuffer length = ByteBuffer.allocate(4);
    while (length.hasRemaining()) if (socket.read(length) < 0) return false;
    ByteBuffer request = ByteBuffer.allocate(length.flip().getInt());
    while (request.hasRemaining()) if (socket.read(request) < 0) return false;
    int count;
    synchronized (this) {
      requests.add(request.array());
      count = requests.size();
    }
    if (count <= drops) return false;
    if (count <= drops + silences) return true;
    CountDownLatch own = gate;
    if (own != null) own.await();
    byte[] other = answer;
    socket.write(ByteBuffer.wrap(other == null ? sound(request.array()) : other));
    return other == null && served != hangUpAfter;
  }

  /** A sound reply to what stands behind the length field. */
  private static byte[] sound(byte[] request) {
    boolean isRandom = request[2] == 0 && request[3] == 5;
    int count = isRandom ? request[29] : 0;
    ByteBuffer reply = ByteBuffer.allocate(24 + (isRandom ? 2 + count : 0));
    reply.putInt(reply.capacity() - 4).put((byte) 1).put((byte) 0).put(request, 2, 10).putLong(-1);
    if (isRandom) {
      byte[] drawn = new byte[count];
      Arrays.fill(drawn, (byte) 0xA5);
      reply.put((byte) 0x0A).put((byte) count).put(drawn);
    }
    return reply.array();
  }

  /** A refusal to a first opening; busy without a wait is about the connection [WIRE-24]. */
  static byte[] refusal(Status status, int wait, long id) {
    boolean isAboutConnection = status == Status.BUSY && wait == 0;
    ByteBuffer reply = ByteBuffer.allocate(wait == 0 ? 24 : 26);
    reply.putInt(reply.capacity() - 4).put((byte) 1).put((byte) status.number()).putShort((short) (isAboutConnection ? 0 : 0x11)).putLong(isAboutConnection ? 0 : id).putLong(41);
    if (wait != 0) reply.put((byte) 8).put((byte) wait);
    return reply.array();
  }
}
