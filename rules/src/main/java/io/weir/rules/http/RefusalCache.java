package io.weir.rules.http;

import org.jspecify.annotations.Nullable;

/**
 * A cache of refusal responses. A refused client that retries at once gets the same response within
 * the same second. So do other clients in the same state. It is built once.
 *
 * <p>If two refusals share a slot, it keeps the latest, and the other is built again. No lock is
 * needed, because entries are immutable.
 */
final class RefusalCache {
  private static final int SLOTS = 256;

  private final @Nullable CachedRefusal[] slots = new CachedRefusal[SLOTS];

  private record CachedRefusal(
      LimitHeaders.RenderedLimit renderedLimit, boolean asProblem, DirectResponse directResponse) {}

  /** The cached response for {@code renderedLimit}; null if it is not cached. */
  @Nullable DirectResponse find(LimitHeaders.RenderedLimit renderedLimit, boolean asProblem) {
    CachedRefusal cached = slots[slot(renderedLimit)];
    return cached != null
            && cached.asProblem == asProblem
            && cached.renderedLimit.isSameAs(renderedLimit)
        ? cached.directResponse
        : null;
  }

  void keep(
      LimitHeaders.RenderedLimit renderedLimit, boolean asProblem, DirectResponse directResponse) {
    slots[slot(renderedLimit)] = new CachedRefusal(renderedLimit, asProblem, directResponse);
  }

  private static int slot(LimitHeaders.RenderedLimit renderedLimit) {
    long mixed =
        renderedLimit.reset() * 31
            + renderedLimit.seconds() * 7
            + System.identityHashCode(renderedLimit.item());
    return (int) mixed & (SLOTS - 1);
  }
}
