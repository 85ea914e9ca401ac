package io.weir.rules.http;

import org.jspecify.annotations.Nullable;

/**
 * A cache of refusal responses. A refused client that retries at once gets the same response within
 * the same second. So do other clients in the same state. It is built once.
 *
 * <p>If two refusals share a slot, it keeps the latest, and the other is built again. No lock is
 * needed, because entries are immutable.
 */
final class Refusals {
  private static final int PLACES = 256;

  private final @Nullable Kept[] kept = new Kept[PLACES];

  private record Kept(LimitHeaders.Told told, boolean asProblem, Answer answer) {}

  /** The cached response for {@code told}; null if it is not cached. */
  @Nullable Answer find(LimitHeaders.Told told, boolean asProblem) {
    Kept known = kept[place(told)];
    return known != null && known.asProblem == asProblem && known.told.isSameAs(told)
        ? known.answer
        : null;
  }

  void keep(LimitHeaders.Told told, boolean asProblem, Answer answer) {
    kept[place(told)] = new Kept(told, asProblem, answer);
  }

  private static int place(LimitHeaders.Told told) {
    long mixed = told.reset() * 31 + told.seconds() * 7 + System.identityHashCode(told.item());
    return (int) mixed & (PLACES - 1);
  }
}
