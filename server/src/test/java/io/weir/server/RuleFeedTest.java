package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.Until;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.lint.Lint;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where rules come from, and what is told of a change. */
class RuleFeedTest {
  private static final String ONE = "rules: [ { name: a, per: ip, limit: 1/s } ]";

  @TempDir private Path dir;

  @Test
  void theDemonstrationIsRightAndRaisesNoWarning() {
    RuleSet rules = RuleFeed.demo().rules();
    assertThat(rules.rules()).extracting(rule -> rule.name()).contains("client", "login", "search");
    assertThat(Lint.of(rules)).isEmpty();
  }

  @Test
  void wrongRulesAreNoBeginning() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), "rules: [ { nam: a } ]");
    assertThatThrownBy(() -> RuleFeed.of(List.of(file)))
        .isInstanceOfSatisfying(
            InvalidRulesException.class, wrong -> assertThat(wrong.problems()).isNotEmpty());
  }

  @Test
  void changesAreFedAndCounted() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), ONE);
    Vitals vitals = new Vitals();
    AtomicReference<RuleSet> inForce = new AtomicReference<>();
    try (RuleFeed feed = RuleFeed.of(List.of(file))) {
      RuleSet first = feed.rules();
      feed.feed(first, inForce::set, vitals);
      assertThat(vitals.reloads()).isZero();

      Files.writeString(file, ONE.replace("name: a", "name: bb"));
      Until.holds("it is reloaded", () -> vitals.reloads() == 1);
      assertThat(inForce.get().rules()).extracting(rule -> rule.name()).containsExactly("bb");

      Files.writeString(file, "rules: what");
      Until.holds("it is rejected", () -> vitals.rejectedReloads() == 1);
      assertThat(vitals.reloads()).isEqualTo(1);
      assertThat(feed.rules()).isSameAs(inForce.get());
    }
  }

  /** What changed before anybody listened is told as soon as somebody does. */
  @Test
  void aChangeBeforeTheFirstListenerIsNotLost() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), ONE);
    AtomicReference<RuleSet> inForce = new AtomicReference<>();
    try (RuleFeed feed = RuleFeed.of(List.of(file))) {
      RuleSet first = feed.rules();
      Files.writeString(file, ONE.replace("1/s", "22/s"));
      Until.holds("it is read", () -> feed.rules() != first);
      List<String> told = told(() -> feed.feed(first, inForce::set, new Vitals()));
      assertThat(inForce.get()).isSameAs(feed.rules());
      assertThat(told).containsExactly("rules reloaded: 1 rule; changed 'a'");
    }
  }

  /** Those in force are what it says, and what the next change is compared with. */
  @Test
  void rulesThatCannotBeTakenUpAreNotTheLatest() throws Exception {
    Path file = Files.writeString(dir.resolve("r.yaml"), ONE);
    Vitals vitals = new Vitals();
    CountDownLatch asked = new CountDownLatch(1);
    try (RuleFeed feed = RuleFeed.of(List.of(file))) {
      RuleSet first = feed.rules();
      feed.feed(
          first,
          rules -> {
            asked.countDown();
            throw new IllegalStateException("there is no room for them");
          },
          vitals);
      Files.writeString(file, ONE.replace("name: a", "name: bb"));
      assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(feed.rules()).isSameAs(first);
      assertThat(vitals.reloads()).isZero();
    }
  }

  private static List<String> told(Runnable during) {
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
  void aChangeIsToldByTheNamesOfRules(String after, String told) {
    assertThat(RuleChange.between(rules("{ name: a, limit: 1/s }"), rules(after)))
        .hasToString(told);
  }

  private static RuleSet rules(String rules) {
    byte[] yaml = ("# a line more\nrules: [" + rules + "]").getBytes(StandardCharsets.UTF_8);
    return RuleFiles.read("rules", yaml).rules().orElseThrow();
  }
}
