package io.weir.rules.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Headers that allowed requests were given lately. Most callers are far from their limits, and so
 * many of them stand the same: what they are told is put together once, and anew each second.
 *
 * <p>As with {@link Refusals}, a place belongs to the last that came there, and nobody locks.
 */
final class Allowances {
  private static final int PLACES = 256;

  private final @Nullable Kept[] kept = new Kept[PLACES];

  private record Kept(LimitHeaders.Told told, List<Header> headers) {}

  /** The headers where {@code told} was told; null if they are not known any more. */
  @Nullable List<Header> find(LimitHeaders.Told told) {
    Kept known = kept[place(told)];
    return known != null && known.told.isSameAs(told) ? known.headers : null;
  }

  /** Keeps them, as they are returned: they do not change any more. */
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
