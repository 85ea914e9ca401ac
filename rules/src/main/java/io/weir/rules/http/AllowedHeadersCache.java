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
  private static final int PLACES = 256;

  private final @Nullable CachedHeaders[] kept = new CachedHeaders[PLACES];

  private record CachedHeaders(LimitHeaders.RenderedLimit renderedLimit, List<Header> headers) {}

  /** The cached headers for {@code told}; null if they are not cached. */
  @Nullable List<Header> find(LimitHeaders.RenderedLimit renderedLimit) {
    CachedHeaders known = kept[place(renderedLimit)];
    return known != null && known.renderedLimit.isSameAs(renderedLimit) ? known.headers : null;
  }

  /** Caches the headers and returns them; they must not change. */
  List<Header> keep(LimitHeaders.RenderedLimit renderedLimit, List<Header> headers) {
    CachedHeaders known = new CachedHeaders(renderedLimit, List.copyOf(headers));
    kept[place(renderedLimit)] = known;
    return known.headers;
  }

  private static int place(LimitHeaders.RenderedLimit renderedLimit) {
    long mixed =
        renderedLimit.remaining() * 31
            + renderedLimit.reset()
            + System.identityHashCode(renderedLimit.item());
    return (int) mixed & (PLACES - 1);
  }
}
