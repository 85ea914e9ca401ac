package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases, from rules and trace to decisions. */
class VectorReplayTest {
  private static final Path VECTORS = Path.of("../tck/src/main/resources/io/weir/tck/vectors");

  static List<String> cases() throws IOException {
    try (Stream<Path> found = Files.list(VECTORS)) {
      return found.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isExact(String name) throws IOException {
    Path directory = VECTORS.resolve(name);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Trace trace = Trace.open(directory.resolve("trace.csv"));
        DecisionFile decisions = new DecisionFile(out)) {
      Summary summary =
          Replay.by(rules(directory.resolve("rules.yaml"))).decisionsTo(decisions).run(trace);
      assertThat(summary.malformed().count()).isZero();
    }
    List<String> decided = out.toString(StandardCharsets.UTF_8).lines().toList();
    List<String> asked = Files.readAllLines(directory.resolve("trace.csv"));
    List<String> expected = Files.readAllLines(directory.resolve("expected.csv"));
    assertThat(decided).hasSameSizeAs(expected);
    for (int i = 1; i < expected.size(); i++) {
      String[] request = asked.get(i).split(",");
      assertThat(decided.get(i))
          .as("line %d: %s", i + 1, asked.get(i))
          .isEqualTo(request[0] + ",case," + request[1] + "," + expected.get(i));
    }
  }

  private static RuleSet rules(Path file) throws IOException {
    List<Limit> limits = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      Matcher map = Pattern.compile(".*\\{ (.*) }").matcher(line);
      if (map.matches()) {
        limits.add(limit(map.group(1)));
      }
    }
    Rule rule = Rule.named("case").per("user").limits(limits).build();
    return RuleSet.of(new Domain("default", Map.of(), List.of(rule)));
  }

  private static Limit limit(String map) {
    java.util.Map<String, String> fields = new java.util.HashMap<>();
    for (String field : map.split(", ")) {
      fields.put(field.split(": ")[0], field.split(": ")[1]);
    }
    String[] rate = fields.get("rate").split(" per ");
    long n = Long.parseLong(rate[0]);
    Duration period =
        switch (rate[1]) {
          case "second" -> Duration.ofSeconds(1);
          case "minute" -> Duration.ofMinutes(1);
          case "day" -> Duration.ofDays(1);
          default ->
              rate[1].endsWith("ms")
                  ? Duration.ofMillis(Long.parseLong(rate[1].replace("ms", "")))
                  : Duration.parse("PT" + rate[1]);
        };
    boolean rejected = Boolean.parseBoolean(fields.get("count_rejected"));
    return switch (fields.get("algorithm")) {
      case "token-bucket" ->
          Limit.tokenBucket(n).per(period).burst(Long.parseLong(fields.get("burst")));
      case "leaky-bucket" ->
          Limit.leakyBucket(n).per(period).queue(Long.parseLong(fields.get("queue")));
      case "fixed-window" -> Limit.fixedWindow(n).per(period);
      case "sliding-window" -> Limit.slidingWindow(n).per(period);
      case "sliding-log" -> new Limit.SlidingLog(n, period, rejected);
      default ->
          new Limit.SlidingEpochs(n, period, Integer.parseInt(fields.get("epochs")), rejected);
    };
  }
}
