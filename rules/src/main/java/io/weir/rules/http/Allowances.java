package io.weir.rules.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cache of headers for allowed requests. Most callers are far from their limits, so many have the
 * same headers. These are built once per second.
 *
 * <p>As in {@link Refusals}, each slot keeps the latest entry, and there are no locks.
 */
final class Allowances {
  private static final int PLACES = 256;

  private final @Nullable Kept[] kept = new Kept[PLACES];

  private record Kept(LimitHeaders.Told told, List<Header> headers) {}

  /** The cached headers for {@code told}; null if they are not cached. */
  @Nullable List<Header> find(LimitHeaders.Told told) {
    Kept known = kept[place(told)];
    return known != null && known.told.isSameAs(told) ? known.headers : null;
  }

  /** Caches the headers and returns them; they must not change. */
  List<Header> keep(LimitHeaders.Told told, List<Header> headers) {
    Kept known = new Kept(told, List.copyOf(headers));
    kept[place(told)] = known;
    return known.headers;
  }

  private static int place(LimitHeaders.Told told) {
    long mixed = told.remaining() * 31 + told.reset() + System.identityHashCode(told.item());
    return (int) mixed & (PLACES - 1);
  }
}
