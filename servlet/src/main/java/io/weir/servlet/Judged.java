package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.RequestInParts;
import io.weir.rules.Ruling;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A mark on a request: by whose rules it was judged, and what some of them said. It stays for all
 * dispatches, so that none is charged again.
 */
final class Judged {
  private static final String NAME = "io.weir.servlet.judged";

  private final Object by;
  private final @Nullable Judged before;
  private @Nullable Ruling soFar;
  private @Nullable RequestInParts parts;

  private Judged(Object by, @Nullable Judged before) {
    this.by = by;
    this.before = before;
    this.soFar = before == null ? null : before.soFar;
    this.parts = before == null ? null : before.parts;
  }

  /**
   * Marks a request; null if it was judged by the same before.
   *
   * @param by a node, or those of its rules that a filter is for
   */
  @SuppressWarnings("ReferenceEquality") // it is this very one or another
  static @Nullable Judged first(HttpServletRequest request, Object by) {
    Judged before = last(request);
    for (Judged each = before; each != null; each = each.before) {
      if (each.by == by) {
        return null;
      }
    }
    Judged mark = new Judged(by, before);
    request.setAttribute(NAME, mark);
    return mark;
  }

  private static @Nullable Judged last(HttpServletRequest request) {
    return request.getAttribute(NAME) instanceof Judged judged ? judged : null;
  }

  /** The mark of one that has judged a request; null if it has not. */
  @SuppressWarnings("ReferenceEquality") // it is this very one or another
  static @Nullable Judged mark(HttpServletRequest request, Object by) {
    Judged mark = last(request);
    while (mark != null && mark.by != by) {
      mark = mark.before;
    }
    return mark;
  }

  /** What counts the request, by those that judge it before and behind this one. */
  RequestInParts count(Judge judge) {
    RequestInParts count = judge.parts(parts);
    parts = count;
    return count;
  }

  /** What counts the request, if this one was the first to judge it. */
  @SuppressWarnings("ReferenceEquality") // it is this very one or another
  @Nullable RequestInParts begun() {
    return before != null && before.parts == parts ? null : parts;
  }

  /** What some of the rules have said of a request; null if none has been asked. */
  static @Nullable Ruling soFar(HttpServletRequest request) {
    Judged last = last(request);
    return last == null ? null : last.soFar;
  }

  /** What some of the rules have said; null if none has been asked. */
  @Nullable Ruling soFar() {
    return soFar;
  }

  /** Notes what the rules have said so far. */
  void note(Ruling ruling) {
    soFar = ruling;
  }
}
