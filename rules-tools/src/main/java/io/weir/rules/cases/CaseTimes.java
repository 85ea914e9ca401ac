package io.weir.rules.cases;

import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.text.DurationParser;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the times of a case: {@code 1m30s} after its start, or a date and time. */
final class CaseTimes {
  private static final DurationParser LENGTH = DurationParser.of(9, "ms", "s", "m", "h", "d");
  private static final Pattern DATE = Pattern.compile("-?\\d{4,}-\\d\\d.*");
  private static final String FORMS = "; write 250ms, 30s, 1m30s, 2h or 7d";

  /** The range of the library's clock, with a margin. */
  private static final Instant EARLIEST = Instant.parse("1700-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  private final ProblemCollector problemCollector;

  CaseTimes(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
  }

  /** The start of a case. */
  Instant start(@Nullable Scalar scalar, Instant otherwise) {
    Instant start = scalar == null ? null : moment(scalar);
    return start == null ? otherwise : start;
  }

  /**
   * The time of a request: since the start, after the previous request ({@code +10s}), or a date
   * and time.
   */
  Instant at(@Nullable Scalar scalar, Instant start, Instant before) {
    if (scalar == null) {
      return before;
    }
    String text = scalar.text();
    if (DATE.matcher(text).matches()) {
      Instant moment = moment(scalar);
      return moment == null ? before : moment;
    }
    boolean isAfter = text.startsWith("+");
    Duration since = length(scalar, isAfter ? text.substring(1) : text);
    if (since == null) {
      return before;
    }
    Instant at = (isAfter ? before : start).plus(since);
    return isInRange(at, scalar) ? at : before;
  }

  private @Nullable Instant moment(Scalar scalar) {
    try {
      Instant moment = OffsetDateTime.parse(scalar.text()).toInstant();
      return isInRange(moment, scalar) ? moment : null;
    } catch (DateTimeException e) {
      problemCollector.error(
          scalar.sourceLocation(),
          Excerpt.quoted(scalar.text())
              + " is not a time; write 2026-03-29T10:00:00Z or 2026-03-29T12:00:00+02:00");
      return null;
    }
  }

  /** Whether the clock can represent a time; reports an error if not. */
  boolean isInRange(Instant moment, YamlNode yamlNode) {
    boolean isInRange = !moment.isBefore(EARLIEST) && moment.isBefore(LATEST);
    if (!isInRange) {
      problemCollector.error(
          yamlNode.sourceLocation(), "too far away: times are from the year 1700 to 2200");
    }
    return isInRange;
  }

  /** A duration; null, and an error, if it is not one. */
  @Nullable Duration length(Scalar scalar) {
    return length(scalar, scalar.text());
  }

  private @Nullable Duration length(Scalar scalar, String text) {
    Optional<Duration> length = LENGTH.parseSum(text);
    if (length.isEmpty()) {
      problemCollector.error(
          scalar.sourceLocation(), Excerpt.quoted(scalar.text()) + " is no length of time" + FORMS);
      return null;
    }
    return length.get();
  }
}
