package io.weir.servlet;

import io.weir.rules.Ruling;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A mark on a request: by whose rules it was judged. It stays for all dispatches, so that none is
 * charged again.
 *
 * @param by a node, or those of its rules that a filter is for
 */
record Judged(Object by, @Nullable Judged before) {
  private static final String NAME = "io.weir.servlet.judged";
  private static final String RULING = "io.weir.servlet.ruling";

  /** Marks a request; false if it was judged by {@code node} before. */
  @SuppressWarnings("ReferenceEquality") // it is this very one or another
  static boolean first(HttpServletRequest request, Object node) {
    Judged before = request.getAttribute(NAME) instanceof Judged judged ? judged : null;
    for (Judged each = before; each != null; each = each.before) {
      if (each.by == node) {
        return false;
      }
    }
    request.setAttribute(NAME, new Judged(node, before));
    return true;
  }

  /** What some of the rules have said of a request; null if none has been asked. */
  static @Nullable Ruling soFar(HttpServletRequest request) {
    return request.getAttribute(RULING) instanceof Ruling ruling ? ruling : null;
  }

  /** Notes what the rules have said so far. */
  static void note(HttpServletRequest request, Ruling ruling) {
    request.setAttribute(RULING, ruling);
  }
}
