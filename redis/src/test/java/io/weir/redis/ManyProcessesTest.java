package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.rig.SharedRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/**
 * Four processes with sixteen threads each on one key, by the server's clock: exactly the limit.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
@Timeout(180)
class ManyProcessesTest {
  private static final int PROCESSES = 4;
  private static final int THREADS = 16;
  private static final int CAPACITY = 10_000;

  /** So long that nothing flows back meanwhile. */
  private static final Duration DECADE = Duration.ofDays(3650);

  private final List<Node> nodes = new ArrayList<>();

  private static List<Limit> limits() {
    return List.of(
        Limit.tokenBucket(CAPACITY).per(DECADE),
        Limit.leakyBucket(CAPACITY).per(DECADE).queue(CAPACITY - 1),
        Limit.fixedWindow(CAPACITY).per(DECADE),
        Limit.slidingWindow(CAPACITY).per(DECADE),
        Limit.slidingEpochs(CAPACITY).per(DECADE).epochs(4),
        Limit.slidingLog(CAPACITY).per(DECADE),
        Limit.slidingLog(CAPACITY).per(DECADE).countingRejected());
  }

  @Test
  void exactlyTheLimitIsAllowed() throws IOException {
    String url = SharedRedis.empty().url();
    for (int i = 0; i < PROCESSES; i++) {
      nodes.add(new Node(url));
    }
    for (Node node : nodes) {
      assertThat(node.listen()).isEqualTo("ready");
    }
    for (int i = 0; i < limits().size(); i++) {
      for (Node node : nodes) {
        node.write(Integer.toString(i));
      }
      List<Long> granted = new ArrayList<>();
      for (Node node : nodes) {
        granted.add(Long.parseLong(node.listen()));
      }
      System.out.println(">> " + limits().get(i) + ": " + granted);
      assertThat(granted.stream().mapToLong(n -> n).sum())
          .as("%s: %s", limits().get(i), granted)
          .isEqualTo(CAPACITY);
    }
  }

  @AfterEach
  void end() {
    nodes.forEach(Node::end);
  }

  /** A process that checks until nothing is left, for each line of its input. */
  private static final class Node {
    private final Process process;
    private final BufferedReader from;
    private final PrintWriter to;

    Node(String url) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx256m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  CheckingProcess.class.getName(),
                  url)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      from =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      to = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    void write(String line) {
      to.println(line);
    }

    String listen() throws IOException {
      String line = from.readLine();
      assertThat(line).as("a reply of a process").isNotNull();
      return line;
    }

    void end() {
      process.destroyForcibly();
    }
  }

  /** The main class of such a process; it ends with its standard input. */
  static final class CheckingProcess {
    private CheckingProcess() {}

    public static void main(String[] args) throws Exception {
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try (RedisStore store = RedisStore.open(RedisSuite.patient(args[0]))) {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          RateLimiter limiter =
              RateLimiter.builder()
                  .store(store)
                  .name("audit-" + line)
                  .onFailure(OnFailure.DENY)
                  .limit(limits().get(Integer.parseInt(line)))
                  .build();
          System.out.println(checkAll(threads, limiter));
        }
      } finally {
        threads.shutdownNow();
      }
    }

    private static long checkAll(ExecutorService threads, RateLimiter limiter) throws Exception {
      List<Callable<Long>> jobs = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        jobs.add(() -> check(limiter));
      }
      long granted = 0;
      for (Future<Long> each : threads.invokeAll(jobs)) {
        granted += each.get();
      }
      return granted;
    }

    /** Some go on after the end, to see that it is one. */
    private static long check(RateLimiter limiter) {
      long granted = 0;
      for (int refused = 0; refused < 20; ) {
        if (limiter.tryAcquire("key")) {
          granted++;
          refused = 0;
        } else {
          refused++;
        }
      }
      return granted;
    }
  }
}
