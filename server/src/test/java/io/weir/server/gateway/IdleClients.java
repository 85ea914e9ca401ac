package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A separate process with many idle connections, because one process may not have enough files for
 * both ends. Every second connection sends one request and stays open; the others send nothing. The
 * process ends when its input ends.
 */
final class IdleClients implements AutoCloseable {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  private static final int ADDRESSES = 8;

  private final Process process;

  private IdleClients(Process process) {
    this.process = process;
  }

  /** Connects; returns when all have received their responses. */
  static IdleClients of(int count, int port) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                IdleClients.class.getProtectionDomain().getCodeSource().getLocation().getPath(),
                IdleClients.class.getName(),
                Integer.toString(port),
                Integer.toString(count))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = process.inputReader(US_ASCII).readLine();
    if (!"ready".equals(said)) {
      process.destroyForcibly();
      throw new IOException("the crowd said " + said);
    }
    return new IdleClients(process);
  }

  /** Port, and how many. */
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    int count = Integer.parseInt(args[1]);
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Socket socket = connect(i, port);
      sockets.add(socket);
      if (i % 2 == 0) {
        socket.getOutputStream().write(GET.getBytes(US_ASCII));
        byte[] response = socket.getInputStream().readNBytes(15);
        if (!new String(response, US_ASCII).equals("HTTP/1.1 200 OK")) {
          throw new IOException("number " + i + " was answered " + new String(response, US_ASCII));
        }
      }
    }
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // until the input ends
    }
    sockets.clear();
  }

  /** Uses several loopback addresses if possible, because one has a limited number of ports. */
  private static Socket connect(int number, int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.bind(new InetSocketAddress("127.0.0." + (1 + number % ADDRESSES), 0));
    } catch (SocketException noSuchAddress) {
      socket = new Socket();
    }
    socket.setSoTimeout(60_000);
    socket.connect(new InetSocketAddress("127.0.0.1", port));
    return socket;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
