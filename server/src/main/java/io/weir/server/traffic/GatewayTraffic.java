package io.weir.server.traffic;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * What is counted of the gateway. Thread-safe.
 *
 * @param <F> why a request fails
 */
public final class GatewayTraffic<F extends Enum<F>> {
  private final Counters<StatusClass> unasked = new Counters<>(EnumSet.allOf(StatusClass.class));
  private final Counters<F> errors;
  private final Set<F> ofUpstreams;
  private final LongAdder held = new LongAdder();
  private final Map<String, UpstreamTraffic<F>> upstreams = new LinkedHashMap<>();

  /**
   * Nothing has happened yet.
   *
   * @param failures why a request can fail
   * @param ofUpstreams those of them that are a server's doing
   */
  public GatewayTraffic(Class<F> failures, Set<F> ofUpstreams) {
    this.errors = new Counters<>(EnumSet.allOf(failures));
    this.ofUpstreams = EnumSet.copyOf(ofUpstreams);
  }

  /** Requests by what their clients got, for which no server was asked. */
  public Counters<StatusClass> unasked() {
    return unasked;
  }

  /** Requests that the gateway answered, or broke off, since they could not be forwarded. */
  public Counters<F> errors() {
    return errors;
  }

  /** A request is held until its turn, or no more. */
  public void held(boolean isHeld) {
    if (isHeld) {
      held.increment();
    } else {
      held.decrement();
    }
  }

  /** How many requests are held. */
  public long held() {
    return held.sum();
  }

  /** What is counted of the server of this label, from now on, or from before. */
  public UpstreamTraffic<F> upstream(String label) {
    synchronized (upstreams) {
      return upstreams.computeIfAbsent(label, name -> new UpstreamTraffic<>(name, ofUpstreams));
    }
  }

  /** All servers, in the order in which they were named. */
  public List<UpstreamTraffic<F>> upstreams() {
    synchronized (upstreams) {
      return new ArrayList<>(upstreams.values());
    }
  }
}
