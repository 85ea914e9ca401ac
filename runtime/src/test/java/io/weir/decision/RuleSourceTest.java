package io.weir.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.RuleFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sources of rules, and the reports of changes. */
class RuleSourceTest {
  private static final String ONE = "rules: [ { name: a, per: ip, limit: 1/s } ]";

  @TempDir private Path dir;

  @Test
  void invalidRulesPreventTheStart() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), "rules: [ { nam: a } ]");
    assertThatThrownBy(() -> RuleSource.of(List.of(file)))
        .isInstanceOfSatisfying(
            InvalidRulesException.class, wrong -> assertThat(wrong.problems()).isNotEmpty());
  }

  @Test
  void changesAreAppliedAndCounted() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), ONE);
    ReloadCounters reloadCounters = new ReloadCounters(TimeSource.system());
    AtomicReference<RuleSet> inForce = new AtomicReference<>();
    try (RuleSource ruleSource = RuleSource.of(List.of(file))) {
      RuleSet first = ruleSource.rules();
      ruleSource.feed(first, inForce::set, reloadCounters);
      assertThat(reloadCounters.taken()).isZero();

      Files.writeString(file, ONE.replace("name: a", "name: bb"));
      Await.holds("it is reloaded", () -> reloadCounters.taken() == 1);
      assertThat(inForce.get().rules()).extracting(rule -> rule.name()).containsExactly("bb");

      Files.writeString(file, "rules: what");
      Await.holds("it is rejected", () -> reloadCounters.rejected() == 1);
      assertThat(reloadCounters.taken()).isEqualTo(1);
      assertThat(ruleSource.rules()).isSameAs(inForce.get());
    }
  }

  /** A change before the first listener is reported as soon as there is one. */
  @Test
  void aChangeBeforeTheFirstListenerIsNotLost() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), ONE);
    AtomicReference<RuleSet> inForce = new AtomicReference<>();
    try (RuleSource ruleSource = RuleSource.of(List.of(file))) {
      RuleSet first = ruleSource.rules();
      Files.writeString(file, ONE.replace("1/s", "22/s"));
      Await.holds("it is read", () -> ruleSource.rules() != first);
      List<String> lines =
          linesDuring(
              () -> ruleSource.feed(first, inForce::set, new ReloadCounters(TimeSource.system())));
      assertThat(inForce.get()).isSameAs(ruleSource.rules());
      assertThat(lines)
          .containsExactly(
              "rules reloaded: 1 rule; changed 'a'\n"
                  + "  'a': token-bucket 1 per 1s, burst 1 → token-bucket 22 per 1s, burst 22");
    }
  }

  /** Rejected rules are not returned, and the next change is not compared with them. */
  @Test
  void rulesThatCannotBeAppliedAreNotTheLatest() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), ONE);
    ReloadCounters reloadCounters = new ReloadCounters(TimeSource.system());
    CountDownLatch called = new CountDownLatch(1);
    try (RuleSource ruleSource = RuleSource.of(List.of(file))) {
      RuleSet first = ruleSource.rules();
      ruleSource.feed(
          first,
          rules -> {
            called.countDown();
            throw new IllegalStateException("there is no room for them");
          },
          reloadCounters);
      Files.writeString(file, ONE.replace("name: a", "name: bb"));
      assertThat(called.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(ruleSource.rules()).isSameAs(first);
      assertThat(reloadCounters.taken()).isZero();
      Await.holds("it is reported as rejected", () -> reloadCounters.rejected() == 1);
    }
  }

  private static List<String> linesDuring(Runnable during) {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(new SimpleFormatter().formatMessage(line));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("io.weir.server");
    logger.addHandler(handler);
    try {
      during.run();
    } finally {
      logger.removeHandler(handler);
    }
    return lines;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          { name: a, limit: 1/s }                         | 1 rule, the same as before
          { name: a, limit: 2/s }                         | 1 rule; changed 'a'
          { name: a, limit: 1/s, mode: shadow }           | 1 rule; changed 'a'
          { name: b, limit: 1/s }                         | 1 rule; added 'b'; removed 'a'
          { name: a, limit: 1/s }, { name: b, limit: 1/m} | 2 rules; added 'b'
          """)
  void reportsChangeByRuleNames(String after, String expected) {
    assertThat(RuleChange.between(rules("{ name: a, limit: 1/s }"), rules(after)))
        .hasToString(expected);
  }

  @Test
  void logShowsOldAndNewStateOfSomeRules() {
    String before = numbered(12, "limit: 1/s");
    String after = numbered(12, "limit: 1/s, mode: shadow");
    String entry = RuleChange.between(rules(before), rules(after)).logEntry().toString();
    assertThat(entry)
        .startsWith("rules reloaded: 12 rules; changed 'r0', 'r1', 'r2', 'r3', 'r4' and 7 more\n")
        .contains("\n  'r0': mode: enforce → shadow\n", "\n  'r9': mode: enforce")
        .endsWith("\n  … and 2 more")
        .hasLineCount(1 + 10 + 1);
    String long1 = "{ name: a, limit: 1/s, match: { user: [ %s ] } }";
    String many = numbers(1, 300);
    assertThat(
            RuleChange.between(rules(long1.formatted("x")), rules(long1.formatted(many)))
                .logEntry()
                .toString())
        .as("in short")
        .hasSizeLessThan(400);
    assertThat(
            RuleChange.between(
                    rules(long1.formatted(many)), rules(long1.formatted(many + ", last-one")))
                .logEntry()
                .toString())
        .as("the end is what is different")
        .contains(", \"la…ne\"");
  }

  private static String numbered(int count, String rest) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{ name: r" + i + ", " + rest + " }")
        .collect(Collectors.joining(", "));
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "u" + i).collect(Collectors.joining(", "));
  }

  private static RuleSet rules(String rules) {
    byte[] yaml = ("# a line more\nrules: [" + rules + "]").getBytes(StandardCharsets.UTF_8);
    return RuleFiles.read("rules", yaml).rules().orElseThrow();
  }
}
