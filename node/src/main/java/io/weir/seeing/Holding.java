package io.weir.seeing;

import io.weir.rules.Bucket;
import io.weir.rules.Meter;
import io.weir.rules.Rule;
import io.weir.rules.Variant;
import java.util.List;
import java.util.Optional;

/**
 * The buckets that apply to a caller: those of the rule's own limits, or of an override.
 *
 * @param isKnown whether exactly these apply; else one of them does
 */
public record Holding(List<Bucket> buckets, boolean isKnown) {
  /** Copies the list. */
  public Holding {
    buckets = List.copyOf(buckets);
  }

  /**
   * Selects the buckets of a caller that apply.
   *
   * @param known the limits that apply by the caller's attributes; empty if the attributes do not
   *     determine them
   * @param seen the limits that applied to its requests, the most recent first: see {@link
   *     Callers#limitsOf}
   * @param all its buckets of the rule
   */
  public static Holding of(Rule rule, Optional<Meter> known, List<String> seen, List<Bucket> all) {
    if (rule.variants().isEmpty()) {
      return new Holding(all, true);
    }
    List<String> ids = known.map(meter -> List.of(id(meter))).orElse(seen);
    List<Bucket> those =
        ids.stream()
            .flatMap(id -> all.stream().filter(bucket -> id(bucket.meter()).equals(id)))
            .toList();
    return those.isEmpty() ? new Holding(all, false) : new Holding(those, true);
  }

  private static String id(Meter meter) {
    return meter.variant().map(Variant::id).orElse("");
  }
}
