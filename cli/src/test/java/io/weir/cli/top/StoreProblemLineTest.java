package io.weir.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.node.JsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The line on a store that is not well has the numbers of the banner, and has them first. */
class StoreProblemLineTest {
  private static final String PAGE =
      """
      {"time": 100000, "store": {"state": "%s", "minute": {"calls": 4000, "errors": 12, "fallback": 4},
       "rules": [{"rule": "a"}, {"rule": "b"}, {"rule": "c"}, {"rule": "d"}], "outage": %s}}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          down     | null  | Outage for 43s: 4,330 decisions without the store, 4,000 allowed, 230 refused, 100 returned 503, 3 would be refused (a, b, c and 1 more); r:1 is away
          degraded | 98000 | Degraded after an outage of 41s: 4,330 decisions without the store, 4,000 allowed, 230 refused, 100 returned 503, 3 would be refused (a, b, c and 1 more); answers again
          degraded |       | Degraded: of the last minute, 4 decisions without the store (a, b, c and 1 more); 12 errors of 4,000 calls
          """)
  void storeProblemIsOneLine(String state, String to, String line) {
    String outage =
        to == null
            ? "null"
            : "{\"from\": 57000, \"to\": "
                + to
                + ", \"part\": \"r:1\", \"problem\": \"is away\","
                + " \"decisions\": 4330, \"allowed\": 4000, \"refused\": 230,"
                + " \"error\": 100, \"would_refuse\": 3}";
    assertThat(StoreProblemLine.of(JsonValue.of(PAGE.formatted(state, outage)))).isEqualTo(line);
  }
}
