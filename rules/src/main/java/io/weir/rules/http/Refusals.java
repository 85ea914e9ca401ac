package io.weir.rules.http;

import org.jspecify.annotations.Nullable;

/**
 * Refusals that were given lately. Who is refused and asks again at once is told the same, in the
 * same second, and so are others who stand as they do: it is put together once.
 *
 * <p>A place that two refusals share belongs to the last of them: the other is put together again.
 * No lock is needed, for what is kept never changes.
 */
final class Refusals {
  private static final int PLACES = 256;

  private final @Nullable Kept[] kept = new Kept[PLACES];

  private record Kept(LimitHeaders.Told told, boolean asProblem, Answer answer) {}

  /** What was answered where {@code told} was told; null if that is not known any more. */
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
