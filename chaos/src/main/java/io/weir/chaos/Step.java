package io.weir.chaos;

import java.time.Duration;
import java.util.List;

/**
 * One thing that goes wrong.
 *
 * @param after how long all goes well before
 * @param length how long it lasts
 * @param which of several it befalls; any number
 */
record Step(Fault fault, Duration after, Duration length, int which) {
  <T> T oneOf(List<T> all) {
    return all.get(Math.floorMod(which, all.size()));
  }

  void pause(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  @Override
  public String toString() {
    return fault + " (" + which + ") for " + length.toMillis() + " ms";
  }
}
