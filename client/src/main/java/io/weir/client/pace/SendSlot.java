package io.weir.client.pace;

import io.weir.client.pace.RouteLimits.Route;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Permission to send one request. Its holder must report the outcome exactly once. Thread-safe. */
public final class SendSlot {
  private final RequestQueue requestQueue;
  private final Route route;
  private final List<LimitPacer> limitPacers;
  private final long sentAt;
  private final AtomicBoolean returned = new AtomicBoolean();

  SendSlot(RequestQueue requestQueue, Route route, List<LimitPacer> limitPacers, long sentAt) {
    this.requestQueue = requestQueue;
    this.route = route;
    this.limitPacers = limitPacers;
    this.sentAt = sentAt;
  }

  /** A response arrived, with this information on limits. */
  public void responded(Quotas quotas) {
    if (returned.compareAndSet(false, true)) {
      requestQueue.responded(this, quotas, null);
    }
  }

  /** The request was refused for this long. */
  public void refused(Quotas quotas, Duration wait) {
    if (returned.compareAndSet(false, true)) {
      requestQueue.responded(this, quotas, wait);
    }
  }

  /** The request ended with an error without information on limits. */
  public void failed() {
    if (returned.compareAndSet(false, true)) {
      requestQueue.failed(this);
    }
  }

  /** No response came. Only the first report counts. */
  public void lost() {
    if (returned.compareAndSet(false, true)) {
      requestQueue.lost(this);
    }
  }

  Route route() {
    return route;
  }

  List<LimitPacer> limitPacers() {
    return limitPacers;
  }

  long sentAt() {
    return sentAt;
  }
}
