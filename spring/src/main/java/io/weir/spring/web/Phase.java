package io.weir.spring.web;

import io.weir.rules.Rule;

/** A point at which requests are checked: before authentication, or behind it. */
public final class Phase {
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

  /** Whether a rule is checked in this phase. */
  public boolean isFor(Rule rule) {
    return isLate ? phases.isLate(rule) : phases.isEarly(rule);
  }

  /**
   * Whether requests are checked in this phase. All are before authentication, if only for
   * ambiguous heads.
   */
  boolean isNeeded() {
    return !isLate || phases.hasLate();
  }

  /** Whether no later phase checks requests. */
  public boolean isLast() {
    return isLate || !phases.hasLate();
  }
}
