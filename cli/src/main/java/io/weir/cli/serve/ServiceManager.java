package io.weir.cli.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports to systemd, or another service manager with its protocol, when the server is ready,
 * reloads and stops: {@code Type=notify} and {@code Type=notify-reload}. Does nothing unless {@code
 * NOTIFY_SOCKET} is set.
 *
 * <p>Thread-safe. A report blocks for a moment at most, and never throws: the server works without
 * it.
 */
public final class ServiceManager {
  /*
   * A report is a datagram to a Unix socket, which the JDK does not support. Netty's native
   * transport, which is in weir.jar for the ports, supports it, and so the datagram comes from the
   * main process: systemd accepts no other (NotifyAccess=main). Where that transport is missing
   * (processors other than x86-64 and ARM), the program systemd-notify sends it, which needs
   * NotifyAccess=all.
   */

  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final int TRIES = 50;
  private static final long PAUSE_MILLIS = 10;
  private static final long PROGRAM_SECONDS = 5;

  private final @Nullable String socket;

  /** Reports to the socket that the environment names, if any. */
  public ServiceManager(Map<String, String> environment) {
    String path = environment.getOrDefault("NOTIFY_SOCKET", "");
    socket = path.isEmpty() ? null : path;
  }

  /** Reports that the server is ready. */
  public void ready(String status) {
    send("READY=1", "STATUS=" + status);
  }

  /** Reports a reload; {@link #ready} follows. */
  public void reloading() {
    // systemd compares this with the time of its signal: microseconds of CLOCK_MONOTONIC, which is
    // what nanoTime counts on Linux.
    long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    send("RELOADING=1", "MONOTONIC_USEC=" + micros, "STATUS=reloading");
  }

  /** Reports that the server is stopping. */
  public void stopping() {
    send("STOPPING=1", "STATUS=finishing requests under way");
  }

  private synchronized void send(String... lines) {
    String path = socket;
    if (path == null) {
      return;
    }
    try {
      Transport system = Transport.nativeTransport();
      if (system != null && system.available()) {
        datagram(path, String.join("\n", lines));
      } else {
        program(lines);
      }
    } catch (IOException | RuntimeException e) {
      LOG.log(
          Level.WARNING,
          "the service manager cannot be reached by NOTIFY_SOCKET={0}: {1}",
          path,
          e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void datagram(String path, String message)
      throws IOException, InterruptedException {
    byte[] text = message.getBytes(UTF_8);
    ByteBuffer buffer = ByteBuffer.allocateDirect(text.length).put(text);
    Socket sender = Socket.newSocketDomainDgram();
    try {
      boolean isAbstract = path.startsWith("@");
      sender.connect(new DomainSocketAddress(isAbstract ? "\0" + path.substring(1) : path));
      for (int i = 0; sender.write(buffer, 0, text.length) <= 0; i++) { // its queue is full
        if (i == TRIES) {
          throw new IOException("it does not read reports");
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } finally {
      sender.close();
    }
  }

  private static void program(String... lines) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("systemd-notify"));
    command.addAll(List.of(lines));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    if (!process.waitFor(PROGRAM_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("systemd-notify does not exit");
    }
    if (process.exitValue() != 0) {
      throw new IOException("systemd-notify failed with status " + process.exitValue());
    }
  }
}
