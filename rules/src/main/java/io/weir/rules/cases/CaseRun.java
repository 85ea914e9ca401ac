package io.weir.rules.cases;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Explanation;
import io.weir.rules.Place;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
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
   * @param place of the step
   * @param message which request, what was expected, and what came
   */
  public record Failure(Place place, String message) {}

  /** Sends the requests of a case in virtual time. */
  public static CaseRun of(Case test) {
    return new Runner(test).run();
  }

  /** The result of a request. */
  private record Seen(Answer answer, @Nullable Ruling ruling, String inWords) {
    Optional<Verdict> deciding() {
      return ruling == null ? Optional.empty() : ruling.deciding();
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
      test.steps().forEach(this::run);
      return new CaseRun(test, failures, requests);
    }

    private void run(Step step) {
      Expectation expected = step.expected();
      Map<Answer, Long> counts = new EnumMap<>(Answer.class);
      int wrong = 0;
      String firstWrong = "";
      Seen seen = null;
      Optional<Seen> malformed = malformed(step);
      for (int i = 0; i < step.repeat(); i++) {
        time.set(step.time(i));
        requests++;
        seen = malformed.isPresent() ? malformed.get() : send(step);
        counts.merge(seen.answer(), 1L, Long::sum);
        if (expected.each().isPresent() && expected.each().get() != seen.answer()) {
          wrong++;
          firstWrong = wrong == 1 ? unexpected(step, i, seen) : firstWrong;
        }
      }
      if (wrong > 0) {
        String others = wrong == 1 ? "" : "; " + (wrong - 1) + " more of this step differ as well";
        failures.add(new Failure(step.place(), firstWrong + others));
      }
      compareCounts(step, counts);
      if (seen != null && wrong == 0) {
        compareLast(step, seen);
      }
    }

    /**
     * Whether a front end would refuse the request before it checks any rule. The limiter itself
     * finds only faults in values that its rules use.
     */
    private Optional<Seen> malformed(Step step) {
      try {
        Explanation.of(test.rules(), step.request());
        return Optional.empty();
      } catch (MalformedRequestException e) {
        return Optional.of(new Seen(Answer.MALFORMED, null, "malformed: " + e.getMessage()));
      }
    }

    private Seen send(Step step) {
      Ruling ruling = limiter.check(step.request());
      return new Seen(ruling.allowed() ? Answer.ALLOWED : Answer.REFUSED, ruling, inWords(ruling));
    }

    private String unexpected(Step step, int index, Seen seen) {
      Expectation expected = step.expected();
      String by =
          expected.rule().flatMap(Expectation.Decider::name).map(n -> " by '" + n + "'").orElse("");
      return which(step, index)
          + (": expected " + expected.each().orElseThrow() + by)
          + (", was " + seen.inWords());
    }

    private void compareCounts(Step step, Map<Answer, Long> counts) {
      Map<Answer, Long> expected = step.expected().counts();
      boolean isRight =
          expected.entrySet().stream()
              .allMatch(entry -> counts.getOrDefault(entry.getKey(), 0L).equals(entry.getValue()));
      if (!isRight) {
        // Both sides use the same order, even for results that never came.
        Map<Answer, Long> came = new EnumMap<>(counts);
        expected.keySet().forEach(answer -> came.putIfAbsent(answer, 0L));
        failures.add(
            new Failure(
                step.place(),
                (step.repeat() + (step.repeat() == 1 ? " request" : " requests"))
                    + (" from " + at(step.at()) + ": expected " + inWords(expected))
                    + (", came " + inWords(came))));
      }
    }

    private static String inWords(Map<Answer, Long> counts) {
      return Stream.of(Answer.values())
          .filter(counts::containsKey)
          .map(answer -> counts.get(answer) + " " + answer)
          .collect(Collectors.joining(" and "));
    }

    private void compareLast(Step step, Seen seen) {
      Expectation expected = step.expected();
      Optional<Verdict> deciding = seen.deciding();
      expected
          .rule()
          .ifPresent(
              rule ->
                  compare(
                      step,
                      seen,
                      rule,
                      new Expectation.Decider(deciding.map(verdict -> verdict.rule().name())),
                      "the decision by "));
      expected
          .key()
          .ifPresent(
              key -> compare(step, seen, key, deciding.map(Verdict::key).orElse(""), "key "));
      expected
          .remaining()
          .ifPresent(
              remaining ->
                  compare(
                      step,
                      seen,
                      remaining.toString(),
                      deciding.map(verdict -> "" + remaining(seen)).orElse("without limit"),
                      "remaining "));
      expected
          .retryAfter()
          .ifPresent(wait -> compare(step, seen, wait, wait(seen), "retry after "));
      expected
          .delay()
          .ifPresent(
              delay -> compare(step, seen, Times.text(delay), Times.text(delay(seen)), "delay "));
    }

    private static long remaining(Seen seen) {
      return seen.ruling() == null ? 0 : seen.ruling().remaining();
    }

    private static Expectation.Wait wait(Seen seen) {
      return new Expectation.Wait(
          seen.ruling() == null ? Optional.of(Duration.ZERO) : seen.ruling().retryAfter());
    }

    private static Duration delay(Seen seen) {
      return seen.ruling() == null ? Duration.ZERO : seen.ruling().delay();
    }

    private void compare(Step step, Seen seen, Object expected, Object came, String what) {
      if (!expected.equals(came)) {
        failures.add(
            new Failure(
                step.place(),
                which(step, step.repeat() - 1)
                    + (": expected " + what + expected + ", was " + came)
                    + (" (" + seen.inWords() + ")")));
      }
    }

    private String which(Step step, int index) {
      String number =
          step.repeat() == 1 ? "request" : "request " + (index + 1) + " of " + step.repeat();
      return number + " at " + at(step.time(index));
    }

    private String at(Instant moment) {
      Duration since = Duration.between(test.start(), moment);
      // Far from the start, times in the file are dates.
      return since.abs().toDays() < 1 ? Times.text(since) : moment.toString();
    }

    private static String inWords(Ruling ruling) {
      if (ruling.deciding().isEmpty()) {
        return "allowed, no rule applied";
      }
      Verdict deciding = ruling.deciding().get();
      String rule = "'" + deciding.rule().name() + "'";
      String key = deciding.key().isEmpty() ? "" : ", key " + deciding.key();
      if (ruling.allowed()) {
        return "allowed by "
            + (rule + key + ", remaining " + ruling.remaining())
            + (ruling.delay().isZero() ? "" : ", delay " + Times.text(ruling.delay()));
      }
      return "refused by "
          + (rule + key + ", retry after " + new Expectation.Wait(ruling.retryAfter()));
    }
  }
}
