package io.weir.client.pace;

import io.weir.client.pace.Routes.Route;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Permission to send one request. Its holder must report the outcome exactly once. Thread-safe. */
public final class Pass {
  private final Gate gate;
  private final Route route;
  private final List<Pace> paces;
  private final long sentAt;
  private final AtomicBoolean returned = new AtomicBoolean();

  Pass(Gate gate, Route route, List<Pace> paces, long sentAt) {
    this.gate = gate;
    this.route = route;
    this.paces = paces;
    this.sentAt = sentAt;
  }

  /** The request was answered, with this information on limits. */
  public void answered(Quotas quotas) {
    if (returned.compareAndSet(false, true)) {
      gate.answered(this, quotas, null);
    }
  }

  /** The request was refused for this long. */
  public void refused(Quotas quotas, Duration wait) {
    if (returned.compareAndSet(false, true)) {
      gate.answered(this, quotas, wait);
    }
  }

  /** The request ended with an error without information on limits. */
  public void failed() {
    if (returned.compareAndSet(false, true)) {
      gate.failed(this);
    }
  }

  /** No answer came. Only the first report counts. */
  public void lost() {
    if (returned.compareAndSet(false, true)) {
      gate.lost(this);
    }
  }

  Route route() {
    return route;
  }

  List<Pace> paces() {
    return paces;
  }

  long sentAt() {
    return sentAt;
  }
}
