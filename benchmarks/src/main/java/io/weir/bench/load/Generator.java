package io.weir.bench.load;

import io.weir.bench.fork.ChildOutput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A load generator for one server at a time.
 *
 * <p>{@code aim PORT FILE} connects for the request in that file. {@code run MILLIS} sends requests
 * in a closed loop and prints {@code run GOOD TOLERATED BAD NANOS FIRST-BAD}; the good include the
 * tolerated. {@code pace MILLIS RATE} sends requests in an open loop and prints the same, followed
 * by times in nanoseconds. These are the median, the 99th and 99.9th percentile and the longest
 * response time, and the 99th percentile of its own delay.
 */
public final class Generator {
  private static final long TIMEOUT_MILLIS = 10_000;

  private final List<Connection> connections = new ArrayList<>();
  private final Selector selector;
  private final ResponseCounter responseCounter;

  private Generator(int port, RequestTemplate requestTemplate) throws IOException {
    responseCounter = new ResponseCounter(requestTemplate);
    selector = Selector.open();
    for (int i = 0; i < requestTemplate.protocol().connections(); i++) {
      Connection connection =
          switch (requestTemplate.protocol()) {
            case GRPC -> new GrpcConnection(requestTemplate, port, responseCounter);
            case HTTP -> new HttpConnection(requestTemplate, port, responseCounter);
          };
      connections.add(connection);
      connection.channel().configureBlocking(false);
      connection.channel().register(selector, SelectionKey.OP_READ, connection);
    }
  }

  /** Reads and runs commands. */
  public static void main(String[] args) throws IOException {
    try (ChildOutput childOutput = new ChildOutput()) {
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      @Nullable Generator generator = null;
      childOutput.say("ready");
      for (String line = orders.readLine(); line != null; line = orders.readLine()) {
        String[] words = line.split(" ", 3);
        if (words[0].equals("aim")) {
          if (generator != null) {
            generator.close();
          }
          generator =
              new Generator(Integer.parseInt(words[1]), RequestTemplate.read(Path.of(words[2])));
          childOutput.say("aimed");
        } else if (words[0].equals("run")) {
          childOutput.say(require(generator).run(Long.parseLong(words[1])));
        } else {
          childOutput.say(
              require(generator).pace(Long.parseLong(words[1]), Double.parseDouble(words[2])));
        }
      }
    }
  }

  private static Generator require(@Nullable Generator generator) {
    if (generator == null) {
      throw new IllegalStateException("aim was not called");
    }
    return generator;
  }

  private Object[] run(long millis) throws IOException {
    responseCounter.reset();
    long start = System.nanoTime();
    for (Connection connection : connections) {
      connection.writeRequests();
      connection.send();
    }
    while (elapsedMillis(start) < millis) {
      turn(true, start, millis);
    }
    while (connections.stream().anyMatch(connection -> connection.underWay() > 0)) {
      turn(false, start, millis);
    }
    long nanos = System.nanoTime() - start;
    return responseCounter.words("run", nanos);
  }

  private Object[] pace(long millis, double perSecond) throws IOException {
    responseCounter.reset();
    long start = System.nanoTime();
    OpenLoop loop = new OpenLoop(connections, selector, perSecond);
    loop.run(millis);
    Histogram times = loop.times();
    return responseCounter.words(
        "pace",
        System.nanoTime() - start,
        times.getValueAtPercentile(50),
        times.getValueAtPercentile(99),
        times.getValueAtPercentile(99.9),
        times.getMaxValue(),
        loop.lateness().getValueAtPercentile(99));
  }

  private static long elapsedMillis(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  private void turn(boolean isRunning, long start, long millis) throws IOException {
    if (selector.select(TIMEOUT_MILLIS) == 0 && elapsedMillis(start) > millis + TIMEOUT_MILLIS) {
      throw new IOException("the server does not respond");
    }
    for (SelectionKey key : selector.selectedKeys()) {
      ((Connection) key.attachment()).receive(isRunning);
    }
    selector.selectedKeys().clear();
  }

  private void close() throws IOException {
    for (Connection connection : connections) {
      connection.close();
    }
    selector.close();
  }
}
