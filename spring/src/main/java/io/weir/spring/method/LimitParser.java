package io.weir.spring.method;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Limit;
import io.weir.rules.Problem;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import java.util.List;
import java.util.stream.Collectors;

/** Reads limits in the syntax of rules files. */
public final class LimitParser {
  private LimitParser() {}

  /**
   * Reads {@code 5 per minute}, a map, or a list of maps, as in a rules file.
   *
   * @throws IllegalArgumentException if it is not a limit; the message says why
   */
  public static List<Limit> parse(String text) {
    String value = text.strip().replaceAll("\\s+", " ");
    String field =
        value.startsWith("[")
            ? "limits: " + value
            : "limit: " + (value.startsWith("{") ? value : "'" + value.replace("'", "''") + "'");
    Reading reading =
        RuleFiles.read("limit", ("rules:\n- name: limit\n  " + field + "\n").getBytes(UTF_8));
    return reading
        .rules()
        .orElseThrow(() -> new IllegalArgumentException(messages(reading)))
        .rules()
        .get(0)
        .limits();
  }

  private static String messages(Reading reading) {
    return new InvalidRulesException(reading.problems())
        .problems().stream().map(Problem::message).collect(Collectors.joining("; "));
  }
}
