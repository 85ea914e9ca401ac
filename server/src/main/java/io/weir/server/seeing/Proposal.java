package io.weir.server.seeing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Limit;
import io.weir.rules.Rule;
import io.weir.rules.file.Problem;
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
 * Another limit for a rule, in place of the one of the same period, or else of its first.
 *
 * @param rule whose
 * @param at which of its limits is replaced
 * @param limit what by
 */
public record Proposal(Rule rule, int at, Limit limit) {
  private static final Pattern RATE =
      Pattern.compile("[0-9]{1,18}(?: +per +| */ *)[0-9a-z ]{1,30}");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  /**
   * Reads what somebody proposes: the algorithm stays that of the rule.
   *
   * @param burst the size of the bucket, or of the queue of a leaky one; null: as it is usual
   * @throws MalformedRequestException if it is no limit; the message says why
   */
  public static Proposal read(Rule rule, String rate, @Nullable String burst) {
    if (rule.limits().isEmpty()) {
      throw new MalformedRequestException("rule '" + rule.name() + "' limits nothing");
    }
    if (!RATE.matcher(rate.strip()).matches()) {
      throw new MalformedRequestException(
          "'limit' must be a number and a time, such as 50 per second or 500/15m");
    }
    if (burst != null && !NUMBER.matcher(burst).matches()) {
      throw new MalformedRequestException("'burst' must be a whole number");
    }
    Limit first = parse(rule.limits().get(0), rate.strip(), burst);
    Duration period = LimitText.length(first);
    for (int i = 0; i < rule.limits().size(); i++) {
      Limit old = rule.limits().get(i);
      if (LimitText.length(old).equals(period)) {
        return new Proposal(rule, i, parse(old, rate.strip(), burst));
      }
    }
    return new Proposal(rule, 0, first);
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
        .orElse("it makes no sense");
  }

  /** All limits that would hold. */
  public List<Limit> limits() {
    return with(limit);
  }

  private List<Limit> with(Limit other) {
    List<Limit> all = new ArrayList<>(rule.limits());
    all.set(at, other);
    return all;
  }

  /** The same with another number of permits, and a burst in proportion; empty out of range. */
  Optional<Limit> scaled(long permits) {
    try {
      return Optional.of(scale(limit, permits));
    } catch (IllegalArgumentException e) { // too many, too few or too fast for a limit
      return Optional.empty();
    }
  }

  List<Limit> limits(Limit scaled) {
    return with(scaled);
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
    throw new IllegalArgumentException("no known limit: " + limit);
  }

  private static long inProportion(long size, long permits, long of, long least) {
    return Math.max(least, Math.round((double) size * permits / Math.max(1, of)));
  }

  /** How far back to look so that there are many periods and many slots in each. */
  public Grain grain() {
    long seconds = LimitText.length(limit).toSeconds();
    return seconds <= 60 ? Grain.FIVE_MINUTES : seconds <= 3600 ? Grain.HOUR : Grain.DAY;
  }

  /** The rule with the other limit, to be put into a file. */
  public String snippet() {
    StringBuilder yaml = new StringBuilder("- name: ").append(rule.name()).append('\n');
    if (!rule.per().isEmpty()) {
      yaml.append("  per: [").append(String.join(", ", rule.per())).append("]\n");
    }
    if (rule.limits().size() == 1) {
      yaml.append("  limit: ").append(LimitText.yaml(limit)).append('\n');
    } else {
      yaml.append("  limits:\n");
      limits().forEach(each -> yaml.append("    - ").append(LimitText.yaml(each)).append('\n'));
    }
    return yaml.toString();
  }
}
