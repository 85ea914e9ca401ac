package io.weir.chaos;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Reads a server's replication stream and acknowledges it, as tools do that copy or monitor a
 * Redis. It has no port, keeps nothing and can never become primary.
 */
final class ForgedReplica implements AutoCloseable {
  private static final int MARK = 40; // bytes at the end of a data set that is sent as a stream

  private final UnixSocket socket;
  private final OutputStream out;
  private volatile boolean isReading;

  private ForgedReplica(UnixSocket socket) {
    this.socket = socket;
    this.out = socket.output();
  }

  /** Connects to the server that listens at {@code file}. */
  static ForgedReplica of(Path file) {
    try {
      ForgedReplica replica = new ForgedReplica(UnixSocket.connect(file));
      Thread reader = new Thread(replica::readOn, "forged-replica");
      reader.setDaemon(true);
      reader.start();
      return replica;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it has begun to acknowledge. */
  boolean isReading() {
    return isReading;
  }

  private void readOn() {
    try (socket) {
      InputStream in = socket.input();
      // Otherwise the server sends the data set by way of a file, which a later start would read.
      send("REPLCONF capa eof\r\n");
      line(in);
      send("PSYNC ? -1\r\n");
      long offset = Long.parseLong(line(in).split(" ", -1)[2]);
      String mark = line(in).substring("$EOF:".length());
      offset += rest(in, mark.getBytes(StandardCharsets.US_ASCII));
      byte[] bytes = new byte[1 << 16];
      while (true) {
        send("REPLCONF ACK " + offset + "\r\n");
        isReading = true;
        int read = in.read(bytes, 0, bytes.length);
        if (read < 0) {
          return;
        }
        offset += read;
      }
    } catch (IOException gone) {
      // The server has ended, or this was closed.
    }
  }

  private void send(String words) throws IOException {
    out.write(words.getBytes(StandardCharsets.US_ASCII));
  }

  /** The next line that is not empty: a busy server sends empty ones. */
  private static String line(InputStream in) throws IOException {
    while (true) {
      StringBuilder line = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          throw new EOFException();
        }
        line.append((char) next);
      }
      String text = line.toString().strip();
      if (!text.isEmpty()) {
        return text;
      }
    }
  }

  /** Reads the data set, and returns how many bytes of the stream followed it. */
  private static long rest(InputStream in, byte[] mark) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] bytes = new byte[1 << 16];
    while (true) {
      int read = in.read(bytes, 0, bytes.length);
      if (read < 0) {
        throw new EOFException();
      }
      all.write(bytes, 0, read);
      String text = all.toString(StandardCharsets.ISO_8859_1);
      int end = text.indexOf(new String(mark, StandardCharsets.ISO_8859_1));
      if (end >= 0 && text.length() >= end + MARK) {
        return text.length() - end - MARK;
      }
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
