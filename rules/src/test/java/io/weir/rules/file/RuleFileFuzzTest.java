package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Good files with bytes changed, put in, left out and moved: read or refused, never a crash and
 * never a hang. {@code -Dweir.fuzz.minutes} sets how long the long form runs, {@code
 * -Dweir.fuzz.seed} repeats a run.
 */
class RuleFileFuzzTest {
  private static final Duration SLOWEST = Duration.ofSeconds(30);

  private static final List<String> GOOD =
      List.of(
          """
          domain: shop
          attributes:
            api_key: { header: X-API-Key }
            tier: { lookup: api_key, in: t.csv, default: free }
            plan: { lookup: tier, map: { a: b } }
            client: { first_of: [api_key, ip] }
          rules:
            - name: login
              match: { method: POST, path: /api/v1/login, ip: [10.0.0.0/8, "2001:db8::/32"] }
              exempt: [ { user: ~ }, { user: "ad*" } ]
              per: ip
              limit: { algorithm: sliding-log, rate: 5 per minute, count_rejected: true }
              on_failure: deny
            - name: client
              per: [client, path]
              cost: size
              limit: &a { rate: 10 per second, burst: 100 }
              overrides:
                - { match: { tier: free }, limit: *a }
            - name: rolling
              match:
                path: "/a/{id}/**"
              limits:
                - { algorithm: sliding-epochs, rate: 500 per 15m, epochs: 15 }
                - { algorithm: fixed-window, rate: 100 per month, zone: Europe/Paris }
              mode: shadow
              consistency: strict
          """,
          """
          rate_limits:
            default:
              bucket_capacity: 100
              refill_rate: 10        # 10 requests/sec sustained, 100 burst
            tiers:
              free: { bucket_capacity: 20, refill_rate: 2.5 }
            endpoint_overrides:
              "/api/v1/login":
                bucket_capacity: 5
                refill_rate: 0.1
          """,
          """
          domain: mongo_cps
          descriptors:
            - key: database
              value: users
              rate_limit: { unit: second, requests_per_unit: 500 }
              descriptors:
                - key: remote_address
                  shadow_mode: true
                  rate_limit:
                    name: per_address
                    replaces: [ { name: other } ]
                    unit: minute
                    requests_per_unit: 20
            - key: path
              value: /a/*
              share_threshold: true
              rate_limit: { unlimited: true }
          """);

  /** What files are made of, so that mutations hit more than letters. */
  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ":",
          ": ",
          ",",
          "- ",
          "\n",
          "\n  ",
          "\n\t",
          "\t",
          "\"",
          "'",
          "&a ",
          "*a",
          "!",
          "!!str ",
          "|\n",
          ">-\n",
          "? ",
          "<<: ",
          "#",
          "%",
          "%YAML 1.1\n",
          "---\n",
          "...\n",
          "~",
          "null",
          "@",
          "`",
          "\\",
          "\\x00",
          "\r",
          "\r\n",
          "\u0085",
          "\u2028",
          "\ufeff",
          "\0",
          "rules:",
          "limit:",
          "per",
          " per ",
          "/",
          "0",
          "99999999999999999999",
          "-1",
          "0.1",
          "1e9",
          "concurrency",
          "fixed-window",
          "month",
          "😀",
          "é",
          "match: {",
          "**",
          "{id}",
          "::/0");

  @TempDir Path directory;

  @Test
  void aFewSecondsOfMutationsBreakNothing() {
    fuzz(Long.getLong("weir.fuzz.seed", 20_240_601), Duration.ofSeconds(3));
  }

  @Test
  @Tag("soak")
  void minutesOfMutationsBreakNothing() {
    long seed = Long.getLong("weir.fuzz.seed", System.nanoTime());
    fuzz(seed, Duration.ofMinutes(Long.getLong("weir.fuzz.minutes", 2)));
  }

  private void fuzz(long seed, Duration time) {
    Written written = new Written(directory);
    written.file("t.csv", "key,value\na,b\n");
    byte[] table = "key,value\na,b\n\"c,d\",\"e\"\"f\"\n".getBytes(UTF_8);
    Random random = new Random(seed);
    long end = System.nanoTime() + time.toNanos();
    for (int round = 0; System.nanoTime() < end; round++) {
      byte[] content = GOOD.get(random.nextInt(GOOD.size())).getBytes(UTF_8);
      byte[] changed = mutate(content, random);
      Path file = written.file("r.yaml", changed);
      if (round % 10 == 0) {
        written.file("t.csv", mutate(table, random));
      }
      long start = System.nanoTime();
      assertThatCode(() -> RuleFiles.read(List.of(file)))
          .as("seed %d, round %d: %s", seed, round, new String(changed, UTF_8))
          .doesNotThrowAnyException();
      if (System.nanoTime() - start > SLOWEST.toNanos()) {
        throw new AssertionError(
            "seed " + seed + ", round " + round + " took long: " + new String(changed, UTF_8));
      }
    }
  }

  private static byte[] mutate(byte[] content, Random random) {
    byte[] changed = content;
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      int from = random.nextInt(changed.length + 1);
      int to = Math.min(changed.length, from + random.nextInt(random.nextInt(10) == 0 ? 200 : 8));
      changed =
          switch (random.nextInt(6)) {
            case 0 -> splice(changed, from, to, new byte[0]);
            case 1 -> splice(changed, from, from, random(random));
            case 2 -> splice(changed, from, to, random(random));
            case 3 -> splice(changed, from, from, piece(random));
            case 4 -> splice(changed, from, to, piece(random));
            default -> {
              byte[] copy = Arrays.copyOfRange(changed, from, to);
              int at = random.nextInt(changed.length + 1);
              yield splice(changed, at, at, copy);
            }
          };
    }
    return changed;
  }

  private static byte[] random(Random random) {
    byte[] bytes = new byte[1 + random.nextInt(4)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] piece(Random random) {
    int times = random.nextInt(50) == 0 ? 2000 : 1;
    return PIECES.get(random.nextInt(PIECES.size())).repeat(times).getBytes(UTF_8);
  }

  private static byte[] splice(byte[] content, int from, int to, byte[] piece) {
    byte[] spliced = new byte[content.length - (to - from) + piece.length];
    System.arraycopy(content, 0, spliced, 0, from);
    System.arraycopy(piece, 0, spliced, from, piece.length);
    System.arraycopy(content, to, spliced, from + piece.length, content.length - to);
    return spliced;
  }
}
