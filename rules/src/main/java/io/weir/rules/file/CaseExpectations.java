package io.weir.rules.file;

import io.weir.rules.cases.Answer;
import io.weir.rules.cases.Expectation;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.text.Excerpt;
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

  private static final List<String> ANSWERS =
      Stream.of(Answer.values()).map(Answer::toString).toList();

  private final Problems problems;
  private final Values values;
  private final CaseTimes times;

  CaseExpectations(Problems problems) {
    this.problems = problems;
    this.values = new Values(problems);
    this.times = new CaseTimes(problems);
  }

  Expectation read(Fields fields) {
    Node expect = fields.get("expect");
    Scalar delay = fields.scalar("delay");
    return new Expectation(
        expect instanceof Scalar word ? answer(word) : Optional.empty(),
        expect == null || expect instanceof Scalar ? Map.of() : counts(expect),
        rule(fields.get("rule")),
        Optional.ofNullable(fields.scalar("key")).map(Scalar::text),
        Optional.ofNullable(number("remaining", fields.scalar("remaining"))),
        wait(fields.scalar("retry_after")),
        Optional.<Duration>ofNullable(delay == null ? null : times.length(delay)));
  }

  private Optional<Answer> answer(Scalar word) {
    int index = ANSWERS.indexOf(word.text());
    if (index < 0) {
      problems.error(
          word.place(),
          "unknown answer "
              + Excerpt.quoted(word.text())
              + Values.guessOrList(word.text(), ANSWERS));
      return Optional.empty();
    }
    return Optional.of(Answer.values()[index]);
  }

  private Map<Answer, Long> counts(Node node) {
    Map<Answer, Long> counts = new EnumMap<>(Answer.class);
    Fields fields = Fields.of(node, "'expect'", ANSWERS, problems);
    if (fields != null) {
      for (Answer answer : Answer.values()) {
        Long count = number(answer.toString(), fields.scalar(answer.toString()));
        if (count != null) {
          counts.put(answer, count);
        }
      }
    }
    return counts;
  }

  private @Nullable Long number(String field, @Nullable Scalar scalar) {
    Long number = scalar == null ? null : values.wholeNumber("'" + field + "'", scalar);
    if (scalar != null && number != null && number < 0) {
      problems.error(scalar.place(), "'" + field + "' must not be negative");
    }
    return number;
  }

  /** {@code ~}: no rule. */
  private Optional<Expectation.Decider> rule(@Nullable Node node) {
    if (node == null) {
      return Optional.empty();
    }
    if (node instanceof Scalar scalar) {
      return Optional.of(
          new Expectation.Decider(scalar.isNull() ? Optional.empty() : Optional.of(scalar.text())));
    }
    problems.error(
        node.place(), "'rule' must be the name of a rule, or ~ for none, but is " + node.inWords());
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
