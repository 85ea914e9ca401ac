package io.weir.cli.serve;

import io.weir.RateLimiter;
import io.weir.memory.MemoryProvider;
import io.weir.rules.LimitGroup;
import io.weir.rules.RuleSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Compares the keys that rules may keep with the available memory. */
public final class KeyMemoryCheck {
  /** Fewer keys a rule than these cause a warning even if no number was configured. */
  private static final long FEW_KEYS = 100_000;

  private static final long MIB = 1L << 20;

  private KeyMemoryCheck() {}

  /** A warning if {@code maxKeys} keys of each rule do not fit; empty if they do. */
  public static Optional<String> warning(RuleSet rules, long maxKeys) {
    return warning(rules, maxKeys, MemoryProvider.share(), Runtime.getRuntime().maxMemory());
  }

  static Optional<String> warning(RuleSet rules, long maxKeys, long share, long heap) {
    List<LimitGroup> limitGroups = rules.limitGroups();
    long bytes = 0; // one key of each rule
    for (LimitGroup limitGroup : limitGroups) {
      bytes += MemoryProvider.bytesPerKey(limitGroup.limits());
    }
    long fitting = bytes == 0 ? Long.MAX_VALUE : share / bytes;
    boolean isDefault = maxKeys == RateLimiter.DEFAULT_MAX_KEYS;
    if (fitting >= maxKeys || (isDefault && fitting >= FEW_KEYS)) {
      return Optional.empty();
    }
    long needed = maxKeys * bytes / MIB + 1;
    return Optional.of(
        String.format(
            Locale.ROOT,
            "--max-keys %,d for %d %s needs about %,d MiB, but all key tables together get %,d MiB of"
                + " the %,d MiB heap: about %,d keys a rule fit, and new keys beyond them share"
                + " overflow buckets; raise -Xmx to about %,dm or lower --max-keys",
            maxKeys,
            limitGroups.size(),
            limitGroups.size() == 1 ? "limit" : "limits",
            needed,
            share / MIB,
            heap / MIB,
            fitting,
            (needed * heap / share / 64 + 1) * 64));
  }
}
