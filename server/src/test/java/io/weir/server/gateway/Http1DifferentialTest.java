package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.WebProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Damaged HTTP/1: a real proxy receives the same requests as the gateway decides, behind the
 * gateway and alone.
 *
 * <p>Each case is made from a seed. {@code -Dweir.fuzz.seed} is the first one, {@code
 * -Dweir.fuzz.cases} how many there are.
 */
class Http1DifferentialTest {
  private static final long FIRST = Long.getLong("weir.fuzz.seed", 1);
  private static final int LANES = 12;
  private static final int MAX_DIFFERENCES = 5;

  /** A server that is silent for so many milliseconds waits for more, or the machine is busy. */
  private static final int SILENCE = 100;

  /** The request is then repeated with more time before a difference counts. */
  private static final int LONG_SILENCE = 4000;

  private static final String AGAIN =
      "./test --fast -- -pl server -am -Dtest=Http1DifferentialTest -Dweir.fuzz.cases=1"
          + " -Dweir.fuzz.seed=";

  private static final String HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";

  /** Cases that have shown a difference once. */
  private static final List<String> KNOWN =
      List.of(
          "POST /a HTTP/1.1\r\nHost: a\r\nContent-Xength: 33\r\n\r\n" + HIDDEN,
          "GET /a HTTP/1.1\r\nHost: a\r\nContent-\\ength: 33\r\n\r\n" + HIDDEN,
          "GET /a HTTP/1.1\r\nHost: a\r\nConnection: TE, close\r\n\r\n" + HIDDEN,
          "GET /a HTTP/1.1\r\nHost: a\r\nConnection:\r\n close\r\n\r\n" + HIDDEN);

  private final List<String> differences = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger accepted = new AtomicInteger();

  @ParameterizedTest
  @EnumSource(names = {"NGINX", "HAPROXY"})
  void decidesWhatAProxySees(WebProxy proxy) throws Exception {
    run(proxy, Integer.getInteger("weir.fuzz.cases", 500));
  }

  @Tag("soak")
  @Timeout(1200)
  @ParameterizedTest
  @EnumSource(names = {"NGINX", "HAPROXY"})
  void decidesWhatAProxySeesInManyCases(WebProxy proxy) throws Exception {
    run(proxy, 10_000);
  }

  @ParameterizedTest
  @EnumSource(names = {"NGINX", "HAPROXY"})
  void decidesWhatAProxySeesInKnownCases(WebProxy proxy) throws Exception {
    requireInstalled(proxy);
    try (Http1Differential differential = new Http1Differential(proxy)) {
      for (int i = 0; i < KNOWN.size(); i++) {
        compare(differential, i, "a known case", KNOWN.get(i).getBytes(ISO_8859_1));
      }
    }
    assertThat(differences).isEmpty();
  }

  private void run(WebProxy proxy, int cases) throws Exception {
    requireInstalled(proxy);
    AtomicLong next = new AtomicLong(FIRST);
    ExecutorService lanes = Executors.newFixedThreadPool(LANES);
    try (Http1Differential differential = new Http1Differential(proxy)) {
      Callable<Void> lane =
          () -> {
            for (long seed = next.getAndIncrement();
                seed < FIRST + cases && differences.size() < MAX_DIFFERENCES;
                seed = next.getAndIncrement()) {
              compare(differential, seed, AGAIN + seed, Http1Case.of(seed));
            }
            return null;
          };
      for (Future<Void> each : lanes.invokeAll(Collections.nCopies(LANES, lane))) {
        each.get();
      }
    } finally {
      lanes.shutdownNow();
    }
    assertThat(differences).isEmpty();
    assertThat(accepted.get())
        .as("cases that the gateway accepted; fewer prove nothing")
        .isGreaterThanOrEqualTo(cases / 3);
  }

  private static void requireInstalled(WebProxy proxy) {
    assumeTrue(proxy.isInstalled(), proxy.program() + " is not installed");
    assumeTrue(Files.exists(Path.of("/proc/net")), "needs all of 127.0.0.0/8, as Linux has it");
  }

  private void compare(Http1Differential differential, long seed, String origin, byte[] bytes)
      throws Exception {
    Http1Differential.Result result = differential.compare(address(seed, 16), bytes, SILENCE);
    if (result.difference() != null && result.isSilent()) {
      result = differential.compare(address(seed, 17), bytes, LONG_SILENCE);
    }
    if (result.difference() != null) {
      differences.add(
          "%s%n  bytes:       %s%n  seed %d:      %s"
              .formatted(result.difference(), escaped(bytes), seed, origin));
    }
    if (result.isAccepted()) {
      accepted.incrementAndGet();
    }
  }

  /** An address of this machine that no other seed nearby has. */
  private static String address(long seed, int net) {
    return "127.%d.%d.%d".formatted(net + 2 * (seed >> 16 & 63), seed >> 8 & 255, seed & 255);
  }

  private static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (char c : new String(bytes, ISO_8859_1).toCharArray()) {
      switch (c) {
        case '\r' -> text.append("\\r");
        case '\n' -> text.append("\\n");
        case '\\' -> text.append("\\\\");
        default -> text.append(c >= ' ' && c < 0x7f ? "" + c : "\\x%02x".formatted((int) c));
      }
    }
    return text.toString();
  }
}
