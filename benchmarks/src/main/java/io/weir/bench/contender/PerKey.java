package io.weir.bench.contender;

import java.util.concurrent.ConcurrentHashMap;

/**
 * A map of limiters, the usual way to add keys to a library without them. The plain {@code get}
 * comes first, because {@code computeIfAbsent} may lock even if the key is present.
 */
abstract class PerKey<L> implements KeyedLimiter {
  private final ConcurrentHashMap<String, L> limiters = new ConcurrentHashMap<>();

  final L limiterOf(String key) {
    L limiter = limiters.get(key);
    return limiter != null ? limiter : limiters.computeIfAbsent(key, this::create);
  }

  abstract L create(String key);
}
