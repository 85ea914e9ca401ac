package io.weir.client.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers as servers write them, well and ill meant, and what is believed of them. */
class QuotasTest {
  /** Wed, 21 Oct 2015 07:28:00 GMT. */
  private static final Instant NOW = Instant.ofEpochSecond(1445412480);

  /** Headers apart by ' | '; quotas as {@code name:remaining/limit in window, more after}. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '\0',
      textBlock =
          """
          RateLimit: "client";r=42;t=1 | RateLimit-Policy: "client";q=100;w=10 => client:42/100 in PT10S, more after PT1S
          RateLimit: "a";r=1;t=2, "b";r=3 | RateLimit-Policy: "b";q=5;w=60, "a";q=9;w=7 => a:1/9 in PT7S, more after PT2S; b:3/5 in PT1M, more after -
          RateLimit: "a";r=1 | RateLimit: "b";r=2 => a:1/- in -, more after -; b:2/- in -, more after -
          RateLimit: client;r=42;t=1 => client:42/- in -, more after PT1S
          RateLimit: "a, \\"b\\";";r=7 => a, "b";:7/- in -, more after -
          RateLimit: "a";pk=:Zg==:;r=0;t=5, "b";r=2 => a:0/- in -, more after PT5S; b:2/- in -, more after -
          RateLimit: "a";x=%"y;z";r=3, "b";r=2 => a:3/- in -, more after -; b:2/- in -, more after -
          RateLimit: "a";pk=:Zg=;r=0 =>
          RateLimit: "a" ; r = 0 => a:0/- in -, more after -
          RateLimit: "a";r=9;r=1 => a:1/- in -, more after -
          RateLimit: "a";r=1, "a";r=9 => a:1/- in -, more after -
          RateLimit: limit=100, remaining=50, reset=7 => :50/100 in -, more after PT7S
          RateLimit: limit=100, remaining=50, reset=7 | RateLimit-Policy: 10;w=1, 100;w=60 => :50/100 in PT1M, more after PT7S
          RateLimit-Limit: 100 | RateLimit-Remaining: 3 | RateLimit-Reset: 30 => :3/100 in -, more after PT30S
          RateLimit-Limit: 100, 100;w=60 | RateLimit-Remaining: 3 | RateLimit-Policy: 100;w=60 => :3/100 in PT1M, more after -
          X-RateLimit-Limit: 60 | X-RateLimit-Remaining: 59 | X-RateLimit-Reset: 1445412500 => :59/60 in -, more after PT20S
          X-RateLimit-Limit: 60 | X-RateLimit-Remaining: 59 | X-RateLimit-Reset: 1445412500250 => :59/60 in -, more after PT20.25S
          X-RateLimit-Remaining: 59 | X-RateLimit-Reset: 20 => :59/- in -, more after PT20S
          X-RateLimit-Remaining: 59 | X-RateLimit-Reset: 1445412500.75 => :59/- in -, more after PT20S
          X-RateLimit-Remaining: 5 | X-RateLimit-Reset: Wed, 21 Oct 2015 07:28:09 GMT => :5/- in -, more after PT9S
          X-RateLimit-Remaining: 5 | X-RateLimit-Reset: 1445416090 | Date: Wed, 21 Oct 2015 08:28:00 GMT => :5/- in -, more after PT10S
          x-rate-limit-remaining: 5 | x-rate-limit-limit: 15 => :5/15 in -, more after -
          RateLimit: "a";r=1 | X-RateLimit-Remaining: 59 => a:1/- in -, more after -
          X-RateLimit-Remaining: 5 | X-RateLimit-Reset: 1445412400 => :5/- in -, more after -
          X-RateLimit-Remaining: 5 | X-RateLimit-Reset: -3 => :5/- in -, more after -
          X-RateLimit-Remaining: -5 =>
          X-RateLimit-Remaining: five =>
          X-RateLimit-Remaining: 5x =>
          X-RateLimit-Remaining: 1000000000000000000000000000000 => :999999999999999/- in -, more after -
          X-RateLimit-Remaining: 5 | X-RateLimit-Reset: 1000000000000000000000000000000 => :5/- in -, more after PT87600H
          RateLimit: "a";r=0;t=99999999999999999999 => a:0/- in -, more after PT87600H
          RateLimit: "a";r=-1;t=5 =>
          RateLimit: "a";t=5 =>
          RateLimit: ,,;;==",";r="," =>
          RateLimit: "unfinished;r=1 =>
          RateLimit: "a";r=0 | RateLimit-Policy: "a";q=0;w=0 => a:0/0 in -, more after -
          Content-Type: text/plain =>
          """)
  void reads(String headers, String expected) {
    Quotas quotas = Quotas.of(headers(headers), NOW);
    assertThat(quotas.all().stream().map(QuotasTest::text).collect(Collectors.joining("; ")))
        .isEqualTo(expected == null ? "" : expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          Retry-After: 3 => PT3S
          Retry-After: 0 => PT0S
          Retry-After: Wed, 21 Oct 2015 07:28:30 GMT => PT30S
          Retry-After: Wed, 21 Oct 2015 07:28:30 GMT | Date: Wed, 21 Oct 2015 07:28:20 GMT => PT10S
          Retry-After: Fri, 21 Oct 1994 07:28:30 GMT => PT0S
          Retry-After: Fri, 31 Dec 9999 23:59:59 GMT => PT87600H
          Retry-After: 315360000000 => PT87600H
          Retry-After: 120, 3 => PT2M
          Retry-After: 3 | X-RateLimit-Retry-After: 9 => PT3S
          X-RateLimit-Retry-After: 9 => PT9S
          Retry-After: soon =>
          Retry-After: -1 =>
          Retry-After: =>
          """)
  void readsRetryAfter(String headers, String expected) {
    assertThat(Quotas.of(headers(headers), NOW).retryAfter().map(Object::toString).orElse(null))
        .isEqualTo(expected);
  }

  /** Of several limits with nothing left, the last to have more decides. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '\0',
      textBlock =
          """
          RateLimit: "a";r=0;t=5, "b";r=0;t=60, "c";r=7;t=90 => b PT1M PT1M
          RateLimit: "a";r=0;t=5 | Retry-After: 9 => a PT9S PT9S
          RateLimit: "a";r=0;t=5 | Retry-After: 3 => a PT3S PT5S
          RateLimit: "a";r=7;t=5 => a PT5S -
          Retry-After: 3 => - PT3S PT3S
          """)
  void reportsHowLongToWait(String headers, String expected) {
    Quotas quotas = Quotas.of(headers(headers), NOW);
    String text =
        quotas.refusing().map(Quota::policy).orElse("-")
            + quotas.refusedFor().map(wait -> " " + wait).orElse(" -")
            + quotas.failedFor().map(wait -> " " + wait).orElse(" -");
    assertThat(text).isEqualTo(expected);
  }

  @Test
  void ignoresOversizedHeaders() {
    String many = "\"p\";r=1, ".repeat(10_000);
    assertThat(Quotas.of(headers("RateLimit: " + many), NOW).all()).isEmpty();
    StringBuilder some = new StringBuilder("RateLimit: ");
    for (int i = 0; i < 100; i++) {
      some.append("\"p").append(i).append("\";r=1, ");
    }
    assertThat(Quotas.of(headers(some.toString()), NOW).all()).hasSize(16);
  }

  private static String text(Quota quota) {
    return quota.policy()
        + (":" + quota.remaining().getAsLong() + "/")
        + (quota.limit().isPresent() ? quota.limit().getAsLong() + " in " : "- in ")
        + quota.window().map(Object::toString).orElse("-")
        + ", more after "
        + quota.growsAfter().map(Object::toString).orElse("-");
  }

  private static HttpHeaders headers(String text) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String line : text.split(" \\| ")) {
      int colon = line.indexOf(':');
      headers
          .computeIfAbsent(line.substring(0, colon), name -> new ArrayList<>())
          .add(line.substring(colon + 1).strip());
    }
    return HttpHeaders.of(headers, (name, value) -> true);
  }
}
