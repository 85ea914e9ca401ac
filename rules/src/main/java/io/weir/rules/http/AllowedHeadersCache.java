package io.weir.rules.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cache of headers for allowed requests. Most callers are far from their limits, so many have the
 * same headers. These are built once per second.
 *
 * <p>As in {@link RefusalCache}, each slot keeps the latest entry, and there are no locks.
 */
final class AllowedHeadersCache {
  private static final int SLOTS = 256;

  private final @Nullable CachedHeaders[] slots = new CachedHeaders[SLOTS];

  private record CachedHeaders(LimitHeaders.RenderedLimit renderedLimit, List<Header> headers) {}

  /** The cached headers for {@code renderedLimit}; null if they are not cached. */
  @Nullable List<Header> find(LimitHeaders.RenderedLimit renderedLimit) {
    CachedHeaders cached = slots[slot(renderedLimit)];
    return cached != null && cached.renderedLimit.isSameAs(renderedLimit) ? cached.headers : null;
  }

  /** Caches the headers and returns them; they must not change. */
  List<Header> keep(LimitHeaders.RenderedLimit renderedLimit, List<Header> headers) {
    CachedHeaders cached = new CachedHeaders(renderedLimit, List.copyOf(headers));
    slots[slot(renderedLimit)] = cached;
    return cached.headers;
  }

  private static int slot(LimitHeaders.RenderedLimit renderedLimit) {
    long mixed =
        renderedLimit.remaining() * 31
            + renderedLimit.reset()
            + System.identityHashCode(renderedLimit.item());
    return (int) mixed & (SLOTS - 1);
  }
}
