package io.weir;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * How a store is doing that is not in this process: counts since it was opened, and how each part
 * of it stands now.
 *
 * @param calls how often it was asked, or would have been if it had not been away
 * @param errors how many of those brought no answer in time
 * @param median how long an answer took lately; zero if there was none
 * @param slowest what one in a hundred answers exceeded lately
 * @param parts those that fail by themselves; none: nothing can be away
 * @param nodes how many processes share it, this one included
 */
public record StoreHealth(
    long calls, long errors, Duration median, Duration slowest, List<Part> parts, int nodes) {
  /** A store that is always there. */
  public static final StoreHealth IN_PROCESS =
      new StoreHealth(0, 0, Duration.ZERO, Duration.ZERO, List.of(), 1);

  /** Copies the list. */
  public StoreHealth {
    parts = List.copyOf(parts);
  }

  /** Whether all parts of it decide. */
  public boolean isWell() {
    return parts.stream().allMatch(part -> part.state() == State.UP);
  }

  /**
   * A part of a store that fails by itself.
   *
   * @param name its address, or what else it is called
   * @param reason why it is not up, or was not at last; empty if it always was
   */
  public record Part(String name, State state, String reason) {}

  /** Whether a part decides. */
  public enum State {
    /** It decides. */
    UP,
    /** It answers, but some of its answers are errors. */
    DEGRADED,
    /** It is not asked: {@link OnFailure} decides. */
    DOWN;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
