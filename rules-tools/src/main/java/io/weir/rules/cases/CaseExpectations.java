package io.weir.rules.cases;

import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Scalar;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the expected result of a request. */
final class CaseExpectations {
  static final List<String> FIELDS =
      List.of("expect", "rule", "key", "remaining", "retry_after", "delay");

  private static final List<String> OUTCOMES =
      Stream.of(ExpectedOutcome.values()).map(ExpectedOutcome::toString).toList();

  private final ProblemCollector problemCollector;
  private final ScalarReader scalarReader;
  private final CaseTimes times;

  CaseExpectations(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
    this.scalarReader = new ScalarReader(problemCollector);
    this.times = new CaseTimes(problemCollector);
  }

  Expectation read(YamlFields yamlFields) {
    YamlNode expect = yamlFields.get("expect");
    Scalar delay = yamlFields.scalar("delay");
    return new Expectation(
        expect instanceof Scalar word ? outcome(word) : Optional.empty(),
        expect == null || expect instanceof Scalar ? Map.of() : counts(expect),
        rule(yamlFields.get("rule")),
        Optional.ofNullable(yamlFields.scalar("key")).map(Scalar::text),
        Optional.ofNullable(number("remaining", yamlFields.scalar("remaining"))),
        wait(yamlFields.scalar("retry_after")),
        Optional.<Duration>ofNullable(delay == null ? null : times.length(delay)));
  }

  private Optional<ExpectedOutcome> outcome(Scalar word) {
    int index = OUTCOMES.indexOf(word.text());
    if (index < 0) {
      problemCollector.error(
          word.sourceLocation(),
          "unknown answer "
              + Excerpt.quoted(word.text())
              + ScalarReader.guessOrList(word.text(), OUTCOMES));
      return Optional.empty();
    }
    return Optional.of(ExpectedOutcome.values()[index]);
  }

  private Map<ExpectedOutcome, Long> counts(YamlNode yamlNode) {
    Map<ExpectedOutcome, Long> counts = new EnumMap<>(ExpectedOutcome.class);
    YamlFields yamlFields = YamlFields.of(yamlNode, "'expect'", OUTCOMES, problemCollector);
    if (yamlFields != null) {
      for (ExpectedOutcome expectedOutcome : ExpectedOutcome.values()) {
        Long count =
            number(expectedOutcome.toString(), yamlFields.scalar(expectedOutcome.toString()));
        if (count != null) {
          counts.put(expectedOutcome, count);
        }
      }
    }
    return counts;
  }

  private @Nullable Long number(String field, @Nullable Scalar scalar) {
    Long number = scalar == null ? null : scalarReader.wholeNumber("'" + field + "'", scalar);
    if (scalar != null && number != null && number < 0) {
      problemCollector.error(scalar.sourceLocation(), "'" + field + "' must not be negative");
    }
    return number;
  }

  /** {@code ~}: no rule. */
  private Optional<Expectation.Decider> rule(@Nullable YamlNode yamlNode) {
    if (yamlNode == null) {
      return Optional.empty();
    }
    if (yamlNode instanceof Scalar scalar) {
      return Optional.of(
          new Expectation.Decider(scalar.isNull() ? Optional.empty() : Optional.of(scalar.text())));
    }
    problemCollector.error(
        yamlNode.sourceLocation(),
        "'rule' must be the name of a rule, or ~ for none, but is " + yamlNode.inWords());
    return Optional.empty();
  }

  private Optional<Expectation.Wait> wait(@Nullable Scalar scalar) {
    if (scalar == null) {
      return Optional.empty();
    }
    if (scalar.text().equals("never")) {
      return Optional.of(new Expectation.Wait(Optional.empty()));
    }
    Duration length = times.length(scalar);
    return length == null
        ? Optional.empty()
        : Optional.of(new Expectation.Wait(Optional.of(length)));
  }
}
