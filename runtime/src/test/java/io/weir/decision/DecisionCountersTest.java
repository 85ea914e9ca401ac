package io.weir.decision;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rules.Domain;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorMode;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.file.RuleFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is counted while rules change. */
class DecisionCountersTest {
  private final RuleSet old = rules("rules: [ { name: old, limit: 9 per hour } ]");
  private final RuleSet next = rules("rules: [ { name: next, limit: 9 per hour } ]");

  /** A scrape that read the rules just before a reload, and looks up the counters just after. */
  @Test
  void aScrapeDuringAReloadLosesNothing() {
    DecisionCounters decisionCounters = new DecisionCounters();
    RequestDecision requestDecision = RequestLimiter.builder(next).build().check(attribute -> null);
    AtomicReference<RuleSet> inForce = new AtomicReference<>(old);

    decisionCounters.rules(
        () -> {
          RuleSet read = inForce.get();
          if (read == old) {
            inForce.set(next);
            decisionCounters.count(requestDecision, inForce::get);
          }
          return read;
        });

    List<RuleCounters> counted = decisionCounters.rules(inForce::get);
    assertThat(counted).extracting(RuleCounters::label).containsExactly("next");
    assertThat(counted.get(0).count(RuleOutcome.ALLOWED)).isEqualTo(1);
  }

  /** Where each descriptor is charged whatever becomes of the others, it is counted so too. */
  @ParameterizedTest
  @CsvSource({"false,1", "true,2"})
  void countsDescriptorsOfRefusedRequestIfCharged(boolean countsRefused, long wide) {
    RuleSet rules =
        rules(
            """
            domain: shop
            descriptors:
              - { key: wide, rate_limit: { name: wide, unit: hour, requests_per_unit: 9 } }
              - { key: tight, rate_limit: { name: tight, unit: hour, requests_per_unit: 1 } }
            """);
    DecisionEngine decisionEngine =
        new DecisionEngine(
            RequestLimiter.builder(rules)
                .time(TimeSource.manual())
                .descriptors(new DescriptorMode(countsRefused, false, false))
                .build(),
            new DecisionCounters());
    DescriptorRequest both =
        new DescriptorRequest(
            "shop", List.of(Descriptor.of("wide", "a"), Descriptor.of("tight", "a")), 1);

    assertThat(decisionEngine.decide(both).toCompletableFuture().join().allowed()).isTrue();
    assertThat(decisionEngine.decide(both).toCompletableFuture().join().allowed()).isFalse();

    List<RuleCounters> counted = decisionEngine.decisionCounters().rules(decisionEngine::rules);
    assertThat(counted.get(0).count(RuleOutcome.ALLOWED)).isEqualTo(wide);
    assertThat(counted.get(1).count(RuleOutcome.ALLOWED)).isEqualTo(1);
    assertThat(counted.get(1).count(RuleOutcome.DENIED)).isEqualTo(1);
  }

  private static RuleSet domains(String... rulesOfDomains) {
    List<Domain> all = new ArrayList<>();
    for (String text : rulesOfDomains) {
      all.addAll(rules(text).domains());
    }
    return RuleSet.of(all);
  }

  private static String domain(String name, String rules) {
    return "{ domain: " + name + ", rules: [ " + rules + " ] }";
  }

  private static String rule(String name) {
    return "{ name: " + name + ", limit: 9 per hour }";
  }

  private static final String OFF = "{ name: a, mode: 'off', limit: 9 per hour }";

  /** Which rule is called what, through one change of the rules after the other, and anew. */
  @Test
  void labelsDependOnTheFilesAlone() {
    DecisionCounters decisionCounters = new DecisionCounters();
    AtomicReference<RuleSet> inForce = new AtomicReference<>();
    String shop = domain("shop", rule("a"));
    String west = domain("west", rule("a"));
    String usual = domain("default", rule("a") + ", " + rule("b"));
    String off = domain("shop", OFF);
    List<List<String>> steps =
        List.of(
            List.of("shop a=a", shop),
            List.of("west a=west/a, shop a=shop/a", west, shop),
            List.of("shop a=shop/a, west a=west/a", shop, west),
            List.of("default a=a, default b=b, west a=west/a, shop a=shop/a", usual, west, shop),
            List.of("west a=west/a, default a=a, default b=b", west, usual),
            List.of("west a=a", west),
            List.of("shop a=-, west a=west/a", off, west), // off is still there
            List.of("default a=a, default b=b, shop a=-", usual, off),
            List.of("shop a=-", off));
    for (List<String> step : steps) {
      inForce.set(domains(step.subList(1, step.size()).toArray(new String[0])));
      assertThat(labels(decisionCounters, inForce)).as("after others").isEqualTo(step.get(0));
      assertThat(labels(new DecisionCounters(), inForce))
          .as("after a start")
          .isEqualTo(step.get(0));
    }
  }

  private static String limits(String domain, String... names) {
    StringBuilder text = new StringBuilder("domain: " + domain + "\ndescriptors:\n");
    for (String name : names) {
      text.append("  - { key: k" + text.length() + ", rate_limit: { name: '" + name)
          .append("', unit: hour, requests_per_unit: 9 } }\n");
    }
    return text.toString();
  }

  /** Names of limits of the Envoy form may be anything, also what others are called. */
  @Test
  void labelsAreUnique() {
    RuleSet rules =
        domains(
            limits("a", "x", "b/x", "a (overrides)"),
            limits("b", "x", "a (overrides)", "a/x"),
            limits("default", "b (overrides)", "x"));
    DecisionCounters decisionCounters = new DecisionCounters();
    assertThat(decisionCounters.rules(() -> rules))
        .extracting(RuleCounters::label)
        .doesNotHaveDuplicates()
        .contains("x", "a (overrides)", "b (overrides)", "default (overrides)")
        .contains("a/a (overrides)", "b/a (overrides)", "default/b (overrides)", "a/x", "b/x")
        .hasSize(8 + 3);
  }

  /** What was counted goes on when a rule is in force again. */
  @Test
  void counterContinuesAfterRuleWasOff() {
    RuleSet on = domains(domain("default", rule("a")));
    RuleSet off = domains(domain("default", OFF));
    AtomicReference<RuleSet> inForce = new AtomicReference<>(on);
    DecisionCounters decisionCounters = new DecisionCounters();
    RequestDecision requestDecision = RequestLimiter.builder(on).build().check(attribute -> null);
    decisionCounters.count(requestDecision, inForce::get);
    inForce.set(off);
    assertThat(decisionCounters.rules(inForce::get)).isEmpty();
    inForce.set(domains(domain("default", OFF), domain("west", rule("a"))));
    assertThat(decisionCounters.rules(inForce::get))
        .extracting(RuleCounters::label)
        .containsExactly("west/a");
    inForce.set(on);
    RuleCounters again = decisionCounters.rules(inForce::get).get(0);
    assertThat(again.count(RuleOutcome.ALLOWED)).isEqualTo(1);
    assertThat(again.before().count(RuleOutcome.ALLOWED)).isEqualTo(1);
    decisionCounters.count(requestDecision, inForce::get);
    assertThat(again.count(RuleOutcome.ALLOWED)).isEqualTo(2);
    assertThat(again.before().count(RuleOutcome.ALLOWED)).isEqualTo(1);
    inForce.set(next);
    decisionCounters.rules(inForce::get);
    inForce.set(on);
    assertThat(decisionCounters.rules(inForce::get).get(0).count(RuleOutcome.ALLOWED))
        .as("it was gone")
        .isZero();
  }

  private static String labels(
      DecisionCounters decisionCounters, AtomicReference<RuleSet> inForce) {
    List<String> labels = new ArrayList<>();
    for (Domain domain : inForce.get().domains()) {
      for (Rule rule : domain.allRules()) {
        String label = decisionCounters.label(rule, inForce::get);
        labels.add(domain.name() + " " + rule.name() + "=" + (label == null ? "-" : label));
      }
    }
    return String.join(", ", labels);
  }

  /** A counter is of one rule: another that comes to be called so starts from nothing. */
  @Test
  void noRuleContinuesTheCounterOfAnother() {
    DecisionCounters decisionCounters = new DecisionCounters();
    RuleSet shop = domains(domain("shop", rule("a")));
    RuleSet both = domains(domain("west", rule("a")), domain("shop", rule("a")));
    RuleSet west = domains(domain("west", rule("a")));
    AtomicReference<RuleSet> inForce = new AtomicReference<>(shop);
    decisionCounters.count(
        RequestLimiter.builder(shop).build().check(attribute -> null), inForce::get);
    RuleCounters first = decisionCounters.rules(inForce::get).get(0);

    inForce.set(both);
    assertThat(decisionCounters.rules(inForce::get))
        .extracting(RuleCounters::label)
        .containsExactly("west/a", "shop/a");
    assertThat(decisionCounters.rules(inForce::get).get(1).number()).isEqualTo(first.number());
    decisionCounters.count(
        RequestLimiter.builder(both).build().check(attribute -> null), inForce::get);
    assertThat(first.count(RuleOutcome.ALLOWED)).isEqualTo(2);
    inForce.set(shop);
    decisionCounters.rules(inForce::get);
    inForce.set(west);
    RuleCounters other = decisionCounters.rules(inForce::get).get(0);
    assertThat(other.label()).isEqualTo("a");
    assertThat(other.number()).isNotEqualTo(first.number());
    assertThat(other.count(RuleOutcome.ALLOWED)).isZero();
  }

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }
}
