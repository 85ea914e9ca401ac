package io.weir.insight.whatif;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Limit;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A proposed limit for a rule. It replaces the limit with the same period, or else the first one.
 *
 * @param rule the rule
 * @param override the id of the override that has the limit; empty: the rule itself
 * @param at the index of the limit to replace
 * @param limit the new limit
 * @param isSized whether the proposal gives the bucket size; else the size stays in proportion to
 *     the current one
 */
public record Proposal(
    Rule rule, Optional<RuleOverride> override, int at, Limit limit, boolean isSized) {
  private static final Pattern RATE =
      Pattern.compile("[0-9]{1,18}(?: +per +| */ *)[0-9a-z ]{1,30}");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /**
   * Reads a proposed limit; the algorithm stays that of the rule.
   *
   * @param override the override with the limit to replace; empty: the rule's own
   * @param burst the size of the bucket, or of the queue of a leaky one; null: in proportion to the
   *     current size, so that the current rate gives the current limit
   * @throws MalformedRequestException if it is not a valid limit; the message says why
   */
  public static Proposal read(
      Rule rule, Optional<RuleOverride> override, String rate, @Nullable String burst) {
    List<Limit> present = present(rule, override);
    if (present.isEmpty()) {
      throw new MalformedRequestException(
          "rule '"
              + rule.name()
              + "' has no limit"
              + (rule.ruleOverrides().isEmpty() ? "" : " of its own"));
    }
    if (!RATE.matcher(rate.strip()).matches()) {
      throw new MalformedRequestException(
          "'limit' must be a number and a time, such as 50 per second or 500/15m");
    }
    if (burst != null && !NUMBER.matcher(burst).matches()) {
      throw new MalformedRequestException("'burst' must be a whole number");
    }
    int at = which(present, rate.strip());
    Limit old = present.get(at);
    Limit read = parse(old, rate.strip(), burst);
    return new Proposal(rule, override, at, burst == null ? alike(old, read) : read, burst != null);
  }

  /** The limit with the same period, or else one of the same length, or else the first. */
  private static int which(List<Limit> limits, String rate) {
    Limit first = parse(limits.get(0), rate, null);
    int alike = -1;
    for (int i = 0; i < limits.size(); i++) {
      Limit old = limits.get(i);
      if (old.period().equals(first.period())) {
        if (LimitFormatter.isSameTime(old, parse(old, rate, null))) {
          return i;
        }
        alike = alike < 0 ? i : alike;
      }
    }
    return Math.max(alike, 0);
  }

  /** The rate of {@code read}, with all other parameters of {@code old}. */
  private static Limit alike(Limit old, Limit read) {
    Duration before = old.period();
    Duration now = read.period();
    try {
      if (LimitFormatter.isSameTime(old, read)) {
        return scale(old, read.permits());
      }
      double faster =
          ((double) read.permits() / now.toMillis()) / ((double) old.permits() / before.toMillis());
      if (old instanceof Limit.TokenBucket bucket && bucket.burst() != bucket.permits()) {
        long burst = Math.max(1, Math.round(bucket.burst() * faster));
        return new Limit.TokenBucket(read.permits(), now, burst);
      } else if (old instanceof Limit.LeakyBucket bucket) {
        return new Limit.LeakyBucket(read.permits(), now, Math.round(bucket.queue() * faster));
      }
      return read;
    } catch (IllegalArgumentException e) {
      throw new MalformedRequestException("'limit': " + e.getMessage());
    }
  }

  private static Limit parse(Limit like, String rate, @Nullable String burst) {
    StringBuilder yaml = new StringBuilder("rules: [ { name: x, limit: { ");
    yaml.append("algorithm: ").append(like.algorithm()).append(", rate: ").append(rate);
    if (burst != null) {
      yaml.append(like instanceof Limit.LeakyBucket ? ", queue: " : ", burst: ").append(burst);
    }
    if (like instanceof Limit.FixedWindow window) {
      yaml.append(", zone: '").append(window.zone()).append('\'');
    } else if (like instanceof Limit.SlidingEpochs epochs) {
      yaml.append(", epochs: ").append(epochs.epochs());
    }
    if (like.countRejected()) {
      yaml.append(", count_rejected: true");
    }
    Reading reading = RuleFiles.read("limit", yaml.append(" } } ]").toString().getBytes(UTF_8));
    return reading
        .rules()
        .map(rules -> rules.rules().get(0).limits().get(0))
        .orElseThrow(() -> new MalformedRequestException("'limit': " + why(reading.problems())));
  }

  private static String why(List<Problem> problems) {
    return problems.stream()
        .filter(each -> each.severity() == Problem.Severity.ERROR)
        .findFirst()
        .map(Problem::message)
        .orElse("it is not a valid limit");
  }

  private static List<Limit> present(Rule rule, Optional<RuleOverride> override) {
    return override.map(RuleOverride::limits).orElse(rule.limits());
  }

  /** All current limits. */
  public List<Limit> before() {
    return present(rule, override);
  }

  /** All limits under the proposal. */
  public List<Limit> limits() {
    return with(limit);
  }

  private List<Limit> with(Limit other) {
    List<Limit> all = new ArrayList<>(before());
    all.set(at, other);
    return all;
  }

  /**
   * This proposal with another number of permits, and a burst in proportion unless it was given.
   * Empty if out of range.
   */
  Optional<Limit> scaled(long permits) {
    try {
      return Optional.of(isSized ? withPermits(limit, permits) : scale(basis(), permits));
    } catch (IllegalArgumentException e) { // too many, too few or too fast for a limit
      return Optional.empty();
    }
  }

  List<Limit> limits(Limit scaled) {
    return with(scaled);
  }

  /** The basis for proportional sizes: the current limit, because it is not rounded yet. */
  private Limit basis() {
    Limit old = before().get(at);
    return LimitFormatter.isSameTime(old, limit) ? old : limit;
  }

  /** How many permits the current limit gives in the proposed period, approximately. */
  public long present() {
    Limit old = before().get(at);
    double periods = (double) limit.period().toMillis() / old.period().toMillis();
    return Math.max(1, Math.round(old.permits() * periods));
  }

  private static Limit withPermits(Limit limit, long permits) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new Limit.TokenBucket(permits, bucket.period(), bucket.burst());
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return new Limit.LeakyBucket(permits, bucket.period(), bucket.queue());
    }
    return scale(limit, permits);
  }

  private static Limit scale(Limit limit, long permits) {
    if (limit instanceof Limit.TokenBucket bucket) {
      long burst = inProportion(bucket.burst(), permits, bucket.permits(), 1);
      return new Limit.TokenBucket(permits, bucket.period(), burst);
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      long queue = inProportion(bucket.queue(), permits, bucket.permits(), 0);
      return new Limit.LeakyBucket(permits, bucket.period(), queue);
    } else if (limit instanceof Limit.FixedWindow window) {
      return new Limit.FixedWindow(permits, window.span(), window.zone());
    } else if (limit instanceof Limit.SlidingLog log) {
      return new Limit.SlidingLog(permits, log.period(), log.countRejected());
    } else if (limit instanceof Limit.SlidingWindow window) {
      return new Limit.SlidingWindow(permits, window.period());
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      return new Limit.SlidingEpochs(
          permits, epochs.period(), epochs.epochs(), epochs.countRejected());
    }
    throw new IllegalArgumentException("unknown limit: " + limit);
  }

  private static long inProportion(long size, long permits, long of, long minimum) {
    return Math.max(minimum, Math.round((double) size * permits / Math.max(1, of)));
  }

  /** The range of the recording that has many periods, with many slots in each. */
  public Resolution resolution() {
    long seconds = limit.period().toSeconds();
    return seconds <= 60
        ? Resolution.FIVE_MINUTES
        : seconds <= 3600 ? Resolution.HOUR : Resolution.DAY;
  }
}
