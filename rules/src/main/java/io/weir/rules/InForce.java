package io.weir.rules;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The rules in force at one moment, with the limiter of each meter. */
final class InForce {
  private final RuleSet rules;
  private final Bound[] meters;
  private final Map<String, Tap> taps = new HashMap<>();
  private final AtomicReference<@Nullable InForce> successor = new AtomicReference<>();

  /**
   * Binds {@code rules} to limiters.
   *
   * @param before the previous rules; their limiters are kept for meters that stay the same
   */
  InForce(RuleSet rules, Taps source, @Nullable InForce before) {
    this.rules = rules;
    this.meters = new Bound[rules.meters().size()];
    for (Meter meter : rules.meters()) {
      String id = meter.id();
      Tap known = before == null ? null : before.taps.get(id);
      Tap tap = known == null ? new Tap(id, source) : known;
      taps.put(id, tap);
      boolean counts = source.countsRefused() && rules.isOfDescriptors(meter);
      meters[meter.number()] = new Bound(meter, counts ? Counting.of(meter) : meter.limits(), tap);
    }
  }

  RuleSet rules() {
    return rules;
  }

  Bound of(Meter meter) {
    return meters[meter.number()];
  }

  Bound[] meters() {
    return meters;
  }

  /** The rules that replaced these; null while these are in force. */
  @Nullable InForce next() {
    return successor.get();
  }

  void giveWayTo(InForce next) {
    successor.set(next);
  }
}
