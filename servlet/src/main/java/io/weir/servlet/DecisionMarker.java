package io.weir.servlet;

import io.weir.embedded.MultiPhaseRequest;
import io.weir.embedded.RequestGuard;
import io.weir.rules.RequestDecision;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * A mark on a request: which rules checked it, and their decisions so far. It stays for all
 * dispatches, so that no rule charges a request twice.
 */
final class DecisionMarker {
  private static final String NAME = "io.weir.servlet.judged";

  private final Object by;
  private final @Nullable DecisionMarker before;
  private @Nullable RequestDecision soFar;
  private @Nullable MultiPhaseRequest parts;

  private DecisionMarker(Object by, @Nullable DecisionMarker before) {
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
  static @Nullable DecisionMarker first(HttpServletRequest request, Object by) {
    DecisionMarker before = last(request);
    for (DecisionMarker each = before; each != null; each = each.before) {
      if (each.by == by) {
        return null;
      }
    }
    DecisionMarker mark = new DecisionMarker(by, before);
    request.setAttribute(NAME, mark);
    return mark;
  }

  private static @Nullable DecisionMarker last(HttpServletRequest request) {
    return request.getAttribute(NAME) instanceof DecisionMarker decisionMarker
        ? decisionMarker
        : null;
  }

  /** The mark that the rules of {@code by} left on a request; null if they have not checked it. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  static @Nullable DecisionMarker mark(HttpServletRequest request, Object by) {
    DecisionMarker mark = last(request);
    while (mark != null && mark.by != by) {
      mark = mark.before;
    }
    return mark;
  }

  /** The counter for this request, shared by all filters of a node. */
  MultiPhaseRequest count(RequestGuard requestGuard) {
    MultiPhaseRequest count = requestGuard.parts(parts);
    parts = count;
    return count;
  }

  /** The counter for the request, if this filter was the first to check it. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  @Nullable MultiPhaseRequest begun() {
    return before != null && before.parts == parts ? null : parts;
  }

  /** The decisions about a request so far; null if no rule was checked. */
  static @Nullable RequestDecision soFar(HttpServletRequest request) {
    DecisionMarker last = last(request);
    return last == null ? null : last.soFar;
  }

  /** The decisions so far; null if no rule was checked. */
  @Nullable RequestDecision soFar() {
    return soFar;
  }

  /** Records the decisions so far. */
  void add(RequestDecision requestDecision) {
    soFar = requestDecision;
  }
}
