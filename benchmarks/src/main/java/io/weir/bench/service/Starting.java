package io.weir.bench.service;

import io.weir.bench.contest.Checkout;
import io.weir.bench.program.Running;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long {@code ./weir serve} takes from the command to the first 200 of its service, and how
 * much memory it occupies when it has answered a few requests and rests. On all cores.
 */
final class Starting {
  private static final long LONGEST_SECONDS = 60;
  private static final int FEW_REQUESTS = 20;
  private static final long REST_MILLIS = 1500;
  private static final double MIB = 1 << 20;
  private static final byte[] REQUEST =
      "GET /v1/check?user=42 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final Checkout checkout;
  private final int starts;

  Starting(Checkout checkout, int starts) {
    this.checkout = checkout;
    this.starts = starts;
  }

  private record Start(double millis, double mebibytes) {}

  Section run() throws IOException {
    Map<String, List<Start>> all = new LinkedHashMap<>();
    Map<String, Path> javas = checkout.javas();
    for (Map.Entry<String, Path> java : javas.entrySet()) {
      all.put(java.getKey(), new ArrayList<>());
      start(java.getValue()); // makes what is made once, such as an archive of classes
    }
    for (int i = 0; i < starts; i++) {
      for (Map.Entry<String, Path> java : javas.entrySet()) {
        Start start = start(java.getValue());
        all.get(java.getKey()).add(start);
        System.err.printf(
            "service start  %d/%d  %s: %.0f ms, %.0f MiB%n",
            i + 1, starts, java.getKey(), start.millis, start.mebibytes);
      }
    }
    MarkdownTable table = new MarkdownTable("./weir serve", "ms to the first 200", "MiB when idle");
    List<Bar> bars = new ArrayList<>();
    all.forEach(
        (name, measured) -> {
          Spread millis = Spread.of(measured.stream().mapToDouble(Start::millis).toArray());
          Spread memory = Spread.of(measured.stream().mapToDouble(Start::mebibytes).toArray());
          table.row(name, millis.text(), memory.text());
          bars.add(Bar.of(name + ": ms to the first 200", Bar.Direction.AT_MOST, 800, 300, millis));
          bars.add(Bar.of(name + ": MiB when idle", Bar.Direction.AT_MOST, 130, 80, memory));
        });
    return Scenario.START.section(table + "\n" + starts + " starts on each JDK, in turn.", bars);
  }

  private Start start(Path java) throws IOException {
    int port = Running.freePort();
    List<String> command =
        List.of(
            checkout.command().toString(),
            "serve",
            "--service-port",
            "" + port,
            "--gateway-port",
            "" + Running.freePort(),
            "--admin-port",
            "" + Running.freePort());
    Path directory = Running.newDirectory("start");
    long start = System.nanoTime();
    try (Running running =
        Running.start(
            "./weir serve", directory, Map.of("WEIR_JAVA_HOME", java.toString()), command)) {
      while (!isAnswered(port)) {
        if (!running.isAlive() || seconds(start) > LONGEST_SECONDS) {
          throw running.failure("does not answer");
        }
        LockSupport.parkNanos(1_000_000);
      }
      double millis = 1000 * seconds(start);
      for (int i = 0; i < FEW_REQUESTS; i++) {
        isAnswered(port);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REST_MILLIS));
      return new Start(millis, running.residentBytes() / MIB);
    }
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private static boolean isAnswered(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), 1000);
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(REQUEST);
      InputStream in = socket.getInputStream();
      String status = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
      in.readAllBytes();
      return status.equals("HTTP/1.1 200");
    } catch (IOException e) {
      return false;
    }
  }
}
