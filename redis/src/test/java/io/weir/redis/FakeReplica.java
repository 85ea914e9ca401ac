package io.weir.redis;

import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a primary sends to its replicas, keeps nothing of it, and acknowledges whatever comes:
 * as tools do that copy changes to somewhere else.
 */
final class FakeReplica implements AutoCloseable {
  private static final String ALL = "999999999999";

  private final Socket socket;
  private final Thread reader;
  private final Thread writer;

  FakeReplica(RedisProcess primary) {
    try {
      socket = new Socket("127.0.0.1", primary.port());
      socket.setTcpNoDelay(true);
      send("AUTH", "rig", "rig");
      awaitReply(); // Redis wants nothing to be on its way
      send("REPLCONF", "capa", "eof");
      awaitReply();
      send("PSYNC", "?", "-1");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    reader = start("false replica reads", this::read);
    writer = start("false replica acknowledges", this::acknowledge);
  }

  private static Thread start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void send(String... words) throws IOException {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    socket.getOutputStream().write(text.toString().getBytes(StandardCharsets.US_ASCII));
  }

  private void awaitReply() throws IOException {
    int next = socket.getInputStream().read();
    while (next >= 0 && next != '\n') {
      next = socket.getInputStream().read();
    }
  }

  private void read() {
    byte[] room = new byte[1 << 16];
    try {
      InputStream in = socket.getInputStream();
      while (in.read(room) >= 0) {
        // Nothing is kept.
      }
    } catch (SocketException closed) {
      // That is the end.
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void acknowledge() {
    try {
      while (!socket.isClosed()) {
        send("REPLCONF", "ACK", ALL);
        Thread.sleep(5);
      }
    } catch (IOException | InterruptedException closed) {
      // That is the end.
    }
  }

  /** Whether the primary takes it for one of its replicas. */
  static boolean isTaken(RedisProcess primary) {
    try (RespSocket connection = primary.connect()) {
      return ((String) connection.call("INFO", "replication")).contains(",port=0,state=online,");
    }
  }

  @Override
  public void close() throws Exception {
    socket.close();
    writer.interrupt();
    writer.join();
    reader.join();
  }
}
