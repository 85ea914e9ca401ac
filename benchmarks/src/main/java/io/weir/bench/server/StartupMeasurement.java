package io.weir.bench.server;

import io.weir.bench.program.RunningProgram;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The time from the start of a program to its first 200, and its memory when idle after a few
 * requests. On all cores.
 *
 * @param millis to the first 200
 * @param mebibytes when idle
 */
public record StartupMeasurement(double millis, double mebibytes) {
  private static final long TIMEOUT_SECONDS = 60;
  private static final int FEW_REQUESTS = 20;
  private static final long REST_MILLIS = 1500;
  private static final double MIB = 1 << 20;

  /**
   * Starts a program, measures it and ends it.
   *
   * @param target the path of the HTTP request on {@code port}
   */
  public static StartupMeasurement of(
      String name, Map<String, String> environment, List<String> command, int port, String target)
      throws IOException {
    byte[] request =
        "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            .formatted(target)
            .getBytes(StandardCharsets.US_ASCII);
    Path directory = RunningProgram.newDirectory("start");
    long start = System.nanoTime();
    try (RunningProgram runningProgram =
        RunningProgram.start(name, directory, environment, command)) {
      while (!hasResponse(port, request)) {
        if (!runningProgram.isAlive() || seconds(start) > TIMEOUT_SECONDS) {
          throw runningProgram.failure("does not respond");
        }
        LockSupport.parkNanos(1_000_000);
      }
      double millis = 1000 * seconds(start);
      for (int i = 0; i < FEW_REQUESTS; i++) {
        hasResponse(port, request);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REST_MILLIS));
      return new StartupMeasurement(millis, runningProgram.residentBytes() / MIB);
    }
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static boolean hasResponse(int port, byte[] request) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request);
      InputStream in = socket.getInputStream();
      String status = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
      in.readAllBytes();
      return status.equals("HTTP/1.1 200");
    } catch (IOException e) {
      return false;
    }
  }
}
