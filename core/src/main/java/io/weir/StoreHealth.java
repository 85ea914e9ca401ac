package io.weir;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How a store is doing that is not in this process: counts since it was opened, and how each part
 * of it stands now.
 *
 * @param calls how often it was asked, or would have been if it had not been away
 * @param errors how many of those brought no answer in time
 * @param median how long an answer took lately; zero if there was none, or if no part answers now
 * @param slowest what one in a hundred answers exceeded lately; zero as for the median
 * @param parts those that fail by themselves; none: nothing can be away
 * @param nodes how many processes share it, this one included
 * @param outages the last outages, the oldest first; one that lasts is the last
 */
public record StoreHealth(
    long calls,
    long errors,
    Duration median,
    Duration slowest,
    List<Part> parts,
    int nodes,
    List<Outage> outages) {
  /** A store that is always there. */
  public static final StoreHealth IN_PROCESS =
      new StoreHealth(0, 0, Duration.ZERO, Duration.ZERO, List.of(), 1, List.of());

  /** Copies the lists. */
  public StoreHealth {
    parts = List.copyOf(parts);
    outages = List.copyOf(outages);
  }

  /** The worst state of a part; {@link State#UP} where nothing can be away. */
  public State worst() {
    State worst = State.UP;
    for (Part part : parts) {
      worst = part.state().compareTo(worst) > 0 ? part.state() : worst;
    }
    return worst;
  }

  /** Whether no part is asked any more. */
  public boolean isDown() {
    return !parts.isEmpty() && parts.stream().allMatch(part -> part.state() == State.DOWN);
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

  /**
   * A time in which a part of the store did not decide, or not all that it was asked. Parts that
   * fail one after the other, or again within seconds, are one outage.
   *
   * @param began when the first part failed
   * @param ended when the last one was back; empty while it lasts
   * @param worst how bad it was at its worst
   * @param part the name of the part that failed first
   * @param problem what is wrong with it, as in {@code cannot be reached (Connection refused)}
   * @param decisions what was decided without the store
   */
  public record Outage(
      Instant began,
      Optional<Instant> ended,
      State worst,
      String part,
      String problem,
      Fallbacks decisions) {}

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
