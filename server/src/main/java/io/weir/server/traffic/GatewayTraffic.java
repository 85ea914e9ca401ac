package io.weir.server.traffic;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counters of the gateway. Thread-safe.
 *
 * @param <F> the kinds of failures
 */
public final class GatewayTraffic<F extends Enum<F>> {
  private final EnumCounters<StatusClass> unasked =
      new EnumCounters<>(EnumSet.allOf(StatusClass.class));
  private final EnumCounters<F> errors;
  private final Set<F> ofUpstreams;
  private final LongAdder held = new LongAdder();
  private final Map<String, UpstreamTraffic<F>> upstreams = new LinkedHashMap<>();

  /**
   * All counters at zero.
   *
   * @param failures the kinds of failures
   * @param ofUpstreams the kinds that are caused by a server
   */
  public GatewayTraffic(Class<F> failures, Set<F> ofUpstreams) {
    this.errors = new EnumCounters<>(EnumSet.allOf(failures));
    this.ofUpstreams = EnumSet.copyOf(ofUpstreams);
  }

  /** Requests that were not sent to a server, by status class. */
  public EnumCounters<StatusClass> unasked() {
    return unasked;
  }

  /** Requests that failed at the gateway because they could not be forwarded. */
  public EnumCounters<F> errors() {
    return errors;
  }

  /** Counts a delayed request when it starts and when it stops waiting. */
  public void held(boolean isHeld) {
    if (isHeld) {
      held.increment();
    } else {
      held.decrement();
    }
  }

  /** The number of requests that are being delayed. */
  public long held() {
    return held.sum();
  }

  /** The counters of the server with this label; creates them if needed. */
  public UpstreamTraffic<F> upstream(String label) {
    synchronized (upstreams) {
      return upstreams.computeIfAbsent(label, name -> new UpstreamTraffic<>(name, ofUpstreams));
    }
  }

  /** All servers, in the order of their creation. */
  public List<UpstreamTraffic<F>> upstreams() {
    synchronized (upstreams) {
      return new ArrayList<>(upstreams.values());
    }
  }
}
