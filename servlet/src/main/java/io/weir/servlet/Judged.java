package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.RequestInParts;
import io.weir.rules.Ruling;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A mark on a request: which rules checked it, and their decisions so far. It stays for all
 * dispatches, so that no rule charges a request twice.
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
   * Marks a request; null if the same rules have checked it.
   *
   * @param by a node, or a subset of its rules
   */
  @SuppressWarnings("ReferenceEquality") // identity is meant
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

  /** The mark of {@code by} on a request; null if it has not checked it. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  static @Nullable Judged mark(HttpServletRequest request, Object by) {
    Judged mark = last(request);
    while (mark != null && mark.by != by) {
      mark = mark.before;
    }
    return mark;
  }

  /** The counter for this request, shared by all filters of a node. */
  RequestInParts count(Judge judge) {
    RequestInParts count = judge.parts(parts);
    parts = count;
    return count;
  }

  /** The counter for the request, if this filter was the first to check it. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  @Nullable RequestInParts begun() {
    return before != null && before.parts == parts ? null : parts;
  }

  /** The decisions about a request so far; null if no rule was checked. */
  static @Nullable Ruling soFar(HttpServletRequest request) {
    Judged last = last(request);
    return last == null ? null : last.soFar;
  }

  /** The decisions so far; null if no rule was checked. */
  @Nullable Ruling soFar() {
    return soFar;
  }

  /** Records the decisions so far. */
  void note(Ruling ruling) {
    soFar = ruling;
  }
}
