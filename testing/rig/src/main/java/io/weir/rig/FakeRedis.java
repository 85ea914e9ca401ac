package io.weir.rig;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fake Redis: it performs the handshake, replies to probes and heartbeats, and gives a configured
 * reply to all other scripts.
 */
public final class FakeRedis implements AutoCloseable {
  private final ServerSocket server;
  private final AtomicInteger connections = new AtomicInteger();
  private volatile String reply = "-ERR no reply configured\r\n";

  /** Starts it on a free port of the loopback interface. */
  public FakeRedis() {
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    daemon(this::accept);
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "false-redis");
    thread.setDaemon(true);
    thread.start();
  }

  /** Its URL. */
  public String url() {
    return "redis://127.0.0.1:" + server.getLocalPort();
  }

  /** The number of connections accepted so far. */
  public int connections() {
    return connections.get();
  }

  /** Sets the reply from now on; {@code MICROS} stands for the server's time. */
  public void answer(String bytes) {
    reply = bytes;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        connections.incrementAndGet();
        daemon(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      OutputStream out = new BufferedOutputStream(socket.getOutputStream());
      while (true) {
        out.write(reply(command(in)).getBytes(StandardCharsets.ISO_8859_1));
        if (in.available() == 0) {
          out.flush();
        }
      }
    } catch (IOException e) {
      // The client closed the connection.
    }
  }

  private String reply(List<String> command) {
    String micros = Long.toString(System.currentTimeMillis() * 1000);
    return switch (command.get(0)) {
      case "INFO" -> "$13\r\nrole:master\r\n\r\n";
      case "EVALSHA", "EVAL" -> {
        String key = command.get(3);
        yield key.endsWith(":probe")
            ? "*2\r\n:1\r\n:" + micros + "\r\n"
            : key.endsWith(":nodes") ? "*1\r\n:1\r\n" : reply.replace("MICROS", micros);
      }
      default -> "+OK\r\n";
    };
  }

  private static List<String> command(DataInputStream in) throws IOException {
    int words = Integer.parseInt(line(in).substring(1));
    List<String> command = new ArrayList<>();
    for (int i = 0; i < words; i++) {
      byte[] word = new byte[Integer.parseInt(line(in).substring(1))];
      in.readFully(word);
      line(in);
      command.add(new String(word, StandardCharsets.ISO_8859_1));
    }
    return command;
  }

  private static String line(DataInputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
      line.append((char) c);
    }
    return line.toString().strip();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
