package io.weir.bench.contender;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The usual way to give each caller a limiter of a library that knows no keys: a map. The plain
 * {@code get} comes first, because {@code computeIfAbsent} may lock even when the key is there.
 */
abstract class PerKey<L> implements Gate {
  private final ConcurrentHashMap<String, L> limiters = new ConcurrentHashMap<>();

  final L limiterOf(String key) {
    L limiter = limiters.get(key);
    return limiter != null ? limiter : limiters.computeIfAbsent(key, this::create);
  }

  abstract L create(String key);
}
