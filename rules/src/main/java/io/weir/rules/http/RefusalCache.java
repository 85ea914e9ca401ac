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
  private static final int PLACES = 256;

  private final @Nullable CachedRefusal[] kept = new CachedRefusal[PLACES];

  private record CachedRefusal(
      LimitHeaders.RenderedLimit renderedLimit, boolean asProblem, DirectResponse directResponse) {}

  /** The cached response for {@code told}; null if it is not cached. */
  @Nullable DirectResponse find(LimitHeaders.RenderedLimit renderedLimit, boolean asProblem) {
    CachedRefusal known = kept[place(renderedLimit)];
    return known != null
            && known.asProblem == asProblem
            && known.renderedLimit.isSameAs(renderedLimit)
        ? known.directResponse
        : null;
  }

  void keep(
      LimitHeaders.RenderedLimit renderedLimit, boolean asProblem, DirectResponse directResponse) {
    kept[place(renderedLimit)] = new CachedRefusal(renderedLimit, asProblem, directResponse);
  }

  private static int place(LimitHeaders.RenderedLimit renderedLimit) {
    long mixed =
        renderedLimit.reset() * 31
            + renderedLimit.seconds() * 7
            + System.identityHashCode(renderedLimit.item());
    return (int) mixed & (PLACES - 1);
  }
}
