package io.weir;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The health of a remote store: counts since it was opened, and the state of each of its parts.
 * Immutable.
 *
 * @param calls how often it was called, or would have been called if it had been available
 * @param errors how many of those got no response in time
 * @param shed how many of those were not sent because calls in progress use up their memory
 * @param median the recent median response time; zero if there was no response, or if no part
 *     responds now
 * @param slowest the recent 99th percentile of response times; zero as for the median
 * @param parts the parts that can fail independently; empty if none can fail
 * @param nodes how many processes share it, this one included
 * @param outages the latest outages, the oldest first; an ongoing one is the last
 */
public record StoreHealth(
    long calls,
    long errors,
    long shed,
    Duration median,
    Duration slowest,
    List<Part> parts,
    int nodes,
    List<Outage> outages) {
  /** The health of a local store, which is always available. */
  public static final StoreHealth IN_PROCESS =
      new StoreHealth(0, 0, 0, Duration.ZERO, Duration.ZERO, List.of(), 1, List.of());

  /** Copies the lists. */
  public StoreHealth {
    parts = List.copyOf(parts);
    outages = List.copyOf(outages);
  }

  /** The worst state of all parts; {@link State#UP} if there are none. */
  public State worst() {
    State worst = State.UP;
    for (Part part : parts) {
      worst = part.state().compareTo(worst) > 0 ? part.state() : worst;
    }
    return worst;
  }

  /** Whether no part is called any more. */
  public boolean isDown() {
    return !parts.isEmpty() && parts.stream().allMatch(part -> part.state() == State.DOWN);
  }

  /** Whether all parts are up. */
  public boolean isWell() {
    return parts.stream().allMatch(part -> part.state() == State.UP);
  }

  /**
   * A part of a store that can fail independently of the others.
   *
   * @param name its address or another name
   * @param reason why it is not up, or why it last was not; empty if it always was
   */
  public record Part(String name, State state, String reason) {}

  /**
   * A time in which a part of the store did not decide, or did not decide all requests. Parts that
   * fail one after the other, or again within seconds, belong to one outage.
   *
   * @param began when the first part failed
   * @param ended when the last part recovered; empty while the outage lasts
   * @param worst the worst state during the outage
   * @param part the name of the part that failed first
   * @param problem what is wrong with it, as in {@code cannot be reached (Connection refused)}
   * @param decisions the decisions made without the store
   */
  public record Outage(
      Instant began,
      Optional<Instant> ended,
      State worst,
      String part,
      String problem,
      Fallbacks decisions) {}

  /** The state of a part. */
  public enum State {
    /** It decides. */
    UP,
    /** It responds, but some responses are errors. */
    DEGRADED,
    /** It is not called: {@link OnFailure} decides. */
    DOWN;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
