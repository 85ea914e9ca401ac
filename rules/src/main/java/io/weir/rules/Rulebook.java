package io.weir.rules;

import io.weir.RateLimiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The rules in force, which may be replaced at any time. */
final class Rulebook {
  /*
   * The rules in force are one immutable object, read once for each question. Limiters belong to a
   * meter's identity and outlive rule sets; a changed limit is a limiter reconfigured in place. So
   * while rules are being replaced, a question may find that a limiter already has the limits of the
   * next rule set. The decision tells: it names the limits that it was made by. Such a question gives
   * back what it took and starts again with the rules that are in force by then.
   *
   * That keeps the way of a question free of locks. It costs a comparison of references, and a
   * repetition for the few that are under way at the very moment of a reload.
   */

  private final Taps taps;
  private final Object reloads = new Object();
  private final Object reloading = new Object();
  private volatile InForce inForce;

  Rulebook(RuleSet rules, Taps taps) {
    this.taps = taps;
    this.inForce = new InForce(rules, taps, null);
  }

  InForce inForce() {
    return inForce;
  }

  void reload(RuleSet rules) {
    synchronized (reloads) { // whole ones, so that a change never waits for the rest of another
      List<Runnable> rest;
      synchronized (reloading) {
        InForce next = new InForce(rules, taps, inForce);
        rest = reconfigure(Arrays.stream(next.meters()));
        inForce.giveWayTo(next);
        inForce = next;
      }
      rest.forEach(Runnable::run);
    }
  }

  /**
   * Waits for a reload under way. If there is none, a limiter may have been opened by a question
   * that still went by the rules before: it is given the limits in force.
   *
   * @return whether anything is different now from what a question with {@code rules} found
   */
  boolean hasMovedOn(InForce rules, Stream<Bound> asked) {
    List<Runnable> rest;
    synchronized (reloading) {
      if (inForce != rules) {
        return true;
      }
      rest = reconfigure(asked);
    }
    rest.forEach(Runnable::run);
    return !rest.isEmpty();
  }

  private static List<Runnable> reconfigure(Stream<Bound> meters) {
    List<Runnable> rest = new ArrayList<>();
    meters.forEach(
        bound -> {
          RateLimiter open = bound.tap().limiter();
          if (open != null && !bound.isInForce(open)) {
            rest.add(open.beginReconfigure(bound.limits(), bound.onFailure(), bound.consistency()));
          }
        });
    return rest;
  }
}
