package io.weir.spring;

import io.weir.rules.Rule;

/** One of the times at which a request is judged: before authentication, or behind it. */
final class Phase {
  private final Phases phases;
  private final boolean isLate;

  Phase(Phases phases, boolean isLate) {
    this.phases = phases;
    this.isLate = isLate;
  }

  /** Whether it is behind authentication. */
  boolean isLate() {
    return isLate;
  }

  /** Whether a rule is decided then. */
  boolean isFor(Rule rule) {
    return isLate ? phases.isLate(rule) : phases.isEarly(rule);
  }

  /** Whether requests are judged then. All are before authentication, if only for their form. */
  boolean isNeeded() {
    return !isLate || phases.hasLate();
  }

  /** Whether no request is judged behind it. */
  boolean isLast() {
    return isLate || !phases.hasLate();
  }
}
