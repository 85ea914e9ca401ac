package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.weir.rig.Fuzzing;
import io.weir.rig.Mutator;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Good files with bytes changed, put in, left out and moved: read or refused, never a crash and
 * never a hang. See {@link Fuzzing} for how to repeat a round.
 */
class RuleFileFuzzTest {
  static final List<String> GOOD =
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
              consistency: exact
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
  static final List<String> PIECES =
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

  private static final byte[] TABLE = "key,value\na,b\n\"c,d\",\"e\"\"f\"\n".getBytes(UTF_8);

  @TempDir Path directory;

  @Test
  void aFewMutationsBreakNothing() {
    Fuzzing.rounds(2000, this::round);
  }

  @Test
  @Tag("soak")
  void minutesOfMutationsBreakNothing() {
    Fuzzing.minutes(this::round);
  }

  private void round(Random random) {
    Mutator mutator = new Mutator(PIECES);
    RuleFileFixture ruleFileFixture = new RuleFileFixture(directory);
    byte[] content = GOOD.get(random.nextInt(GOOD.size())).getBytes(UTF_8);
    byte[] changed = mutator.mutate(content, random);
    Path file = ruleFileFixture.file("r.yaml", changed);
    ruleFileFixture.file("t.csv", random.nextInt(10) == 0 ? mutator.mutate(TABLE, random) : TABLE);

    assertThatCode(() -> RuleFiles.read(List.of(file)))
        .as(() -> new String(changed, UTF_8))
        .doesNotThrowAnyException();
  }
}
