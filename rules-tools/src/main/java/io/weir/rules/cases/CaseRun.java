package io.weir.rules.cases;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Explanation;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleDecision;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The result of a test of rules.
 *
 * @param requests how many were sent
 */
public record CaseRun(Case of, List<Failure> failures, long requests) {
  /** Copies the list. */
  public CaseRun {
    failures = List.copyOf(failures);
  }

  /** Whether all results were as expected. */
  public boolean passed() {
    return failures.isEmpty();
  }

  /**
   * An unexpected result.
   *
   * @param sourceLocation of the step
   * @param message which request, what was expected, and what came
   */
  public record Failure(SourceLocation sourceLocation, String message) {}

  /** Sends the requests of a case in virtual time. */
  public static CaseRun of(Case test) {
    return new Runner(test).run();
  }

  /** The result of a request. */
  private record Seen(
      ExpectedOutcome expectedOutcome, @Nullable RequestDecision requestDecision, String inWords) {
    Optional<RuleDecision> deciding() {
      return requestDecision == null ? Optional.empty() : requestDecision.deciding();
    }
  }

  private static final class Runner {
    private final Case test;
    private final ManualTime time;
    private final RequestLimiter limiter;
    private final List<Failure> failures = new ArrayList<>();
    private long requests;

    Runner(Case test) {
      this.test = test;
      this.time = TimeSource.manual().set(test.start());
      this.limiter = RequestLimiter.builder(test.rules()).time(time).build();
    }

    CaseRun run() {
      test.caseSteps().forEach(this::run);
      return new CaseRun(test, failures, requests);
    }

    private void run(CaseStep caseStep) {
      Expectation expected = caseStep.expected();
      Map<ExpectedOutcome, Long> counts = new EnumMap<>(ExpectedOutcome.class);
      int wrong = 0;
      String firstWrong = "";
      Seen seen = null;
      Optional<Seen> malformed = malformed(caseStep);
      for (int i = 0; i < caseStep.repeat(); i++) {
        time.set(caseStep.time(i));
        requests++;
        seen = malformed.isPresent() ? malformed.get() : send(caseStep);
        counts.merge(seen.expectedOutcome(), 1L, Long::sum);
        if (expected.each().isPresent() && expected.each().get() != seen.expectedOutcome()) {
          wrong++;
          firstWrong = wrong == 1 ? unexpected(caseStep, i, seen) : firstWrong;
        }
      }
      if (wrong > 0) {
        String others = wrong == 1 ? "" : "; " + (wrong - 1) + " more of this step differ as well";
        failures.add(new Failure(caseStep.sourceLocation(), firstWrong + others));
      }
      compareCounts(caseStep, counts);
      if (seen != null && wrong == 0) {
        compareLast(caseStep, seen);
      }
    }

    /**
     * Whether a front end would refuse the request before it checks any rule. The limiter itself
     * finds only faults in values that its rules use.
     */
    private Optional<Seen> malformed(CaseStep caseStep) {
      try {
        Explanation.of(test.rules(), caseStep.request());
        return Optional.empty();
      } catch (MalformedRequestException e) {
        return Optional.of(
            new Seen(ExpectedOutcome.MALFORMED, null, "malformed: " + e.getMessage()));
      }
    }

    private Seen send(CaseStep caseStep) {
      RequestDecision requestDecision = limiter.check(caseStep.request());
      return new Seen(
          requestDecision.allowed() ? ExpectedOutcome.ALLOWED : ExpectedOutcome.REFUSED,
          requestDecision,
          inWords(requestDecision));
    }

    private String unexpected(CaseStep caseStep, int index, Seen seen) {
      Expectation expected = caseStep.expected();
      String by =
          expected.rule().flatMap(Expectation.Decider::name).map(n -> " by '" + n + "'").orElse("");
      return which(caseStep, index)
          + (": expected " + expected.each().orElseThrow() + by)
          + (", was " + seen.inWords());
    }

    private void compareCounts(CaseStep caseStep, Map<ExpectedOutcome, Long> counts) {
      Map<ExpectedOutcome, Long> expected = caseStep.expected().counts();
      boolean isRight =
          expected.entrySet().stream()
              .allMatch(entry -> counts.getOrDefault(entry.getKey(), 0L).equals(entry.getValue()));
      if (!isRight) {
        // Both sides use the same order, even for results that never came.
        Map<ExpectedOutcome, Long> came = new EnumMap<>(counts);
        expected.keySet().forEach(expectedOutcome -> came.putIfAbsent(expectedOutcome, 0L));
        failures.add(
            new Failure(
                caseStep.sourceLocation(),
                (caseStep.repeat() + (caseStep.repeat() == 1 ? " request" : " requests"))
                    + (" from " + at(caseStep.at()) + ": expected " + inWords(expected))
                    + (", came " + inWords(came))));
      }
    }

    private static String inWords(Map<ExpectedOutcome, Long> counts) {
      return Stream.of(ExpectedOutcome.values())
          .filter(counts::containsKey)
          .map(expectedOutcome -> counts.get(expectedOutcome) + " " + expectedOutcome)
          .collect(Collectors.joining(" and "));
    }

    private void compareLast(CaseStep caseStep, Seen seen) {
      Expectation expected = caseStep.expected();
      Optional<RuleDecision> deciding = seen.deciding();
      expected
          .rule()
          .ifPresent(
              rule ->
                  compare(
                      caseStep,
                      seen,
                      rule,
                      new Expectation.Decider(
                          deciding.map(ruleDecision -> ruleDecision.rule().name())),
                      "the decision by "));
      expected
          .key()
          .ifPresent(
              key ->
                  compare(caseStep, seen, key, deciding.map(RuleDecision::key).orElse(""), "key "));
      expected
          .remaining()
          .ifPresent(
              remaining ->
                  compare(
                      caseStep,
                      seen,
                      remaining.toString(),
                      deciding.map(ruleDecision -> "" + remaining(seen)).orElse("without limit"),
                      "remaining "));
      expected
          .retryAfter()
          .ifPresent(wait -> compare(caseStep, seen, wait, wait(seen), "retry after "));
      expected
          .delay()
          .ifPresent(
              delay ->
                  compare(
                      caseStep,
                      seen,
                      DurationText.text(delay),
                      DurationText.text(delay(seen)),
                      "delay "));
    }

    private static long remaining(Seen seen) {
      return seen.requestDecision() == null ? 0 : seen.requestDecision().remaining();
    }

    private static Expectation.Wait wait(Seen seen) {
      return new Expectation.Wait(
          seen.requestDecision() == null
              ? Optional.of(Duration.ZERO)
              : seen.requestDecision().retryAfter());
    }

    private static Duration delay(Seen seen) {
      return seen.requestDecision() == null ? Duration.ZERO : seen.requestDecision().delay();
    }

    private void compare(CaseStep caseStep, Seen seen, Object expected, Object came, String what) {
      if (!expected.equals(came)) {
        failures.add(
            new Failure(
                caseStep.sourceLocation(),
                which(caseStep, caseStep.repeat() - 1)
                    + (": expected " + what + expected + ", was " + came)
                    + (" (" + seen.inWords() + ")")));
      }
    }

    private String which(CaseStep caseStep, int index) {
      String number =
          caseStep.repeat() == 1
              ? "request"
              : "request " + (index + 1) + " of " + caseStep.repeat();
      return number + " at " + at(caseStep.time(index));
    }

    private String at(Instant moment) {
      Duration since = Duration.between(test.start(), moment);
      // Far from the start, times in the file are dates.
      return since.abs().toDays() < 1 ? DurationText.text(since) : moment.toString();
    }

    private static String inWords(RequestDecision requestDecision) {
      if (requestDecision.deciding().isEmpty()) {
        return "allowed, no rule applied";
      }
      RuleDecision deciding = requestDecision.deciding().get();
      String rule = "'" + deciding.rule().name() + "'";
      String key = deciding.key().isEmpty() ? "" : ", key " + deciding.key();
      if (requestDecision.allowed()) {
        return "allowed by "
            + (rule + key + ", remaining " + requestDecision.remaining())
            + (requestDecision.delay().isZero()
                ? ""
                : ", delay " + DurationText.text(requestDecision.delay()));
      }
      return "refused by "
          + (rule + key + ", retry after " + new Expectation.Wait(requestDecision.retryAfter()));
    }
  }
}
