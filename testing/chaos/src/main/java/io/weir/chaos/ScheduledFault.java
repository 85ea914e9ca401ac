package io.weir.chaos;

import java.time.Duration;
import java.util.List;

/**
 * One fault of a schedule.
 *
 * @param after the time without faults before it
 * @param length how long it lasts
 * @param which selects the affected process; any number
 */
record ScheduledFault(InjectedFault injectedFault, Duration after, Duration length, int which) {
  <T> T oneOf(List<T> all) {
    return all.get(Math.floorMod(which, all.size()));
  }

  void pause(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  @Override
  public String toString() {
    return injectedFault + " (" + which + ") for " + length.toMillis() + " ms";
  }
}
