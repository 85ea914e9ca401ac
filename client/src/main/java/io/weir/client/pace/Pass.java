package io.weir.client.pace;

import io.weir.client.pace.Routes.Route;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Leave for one request to go. Whoever has it tells in the end, once, what became of it. */
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

  /** It was answered, and this was said of limits. */
  public void answered(Quotas quotas) {
    if (returned.compareAndSet(false, true)) {
      gate.answered(this, quotas, null);
    }
  }

  /** It was refused, for so long. */
  public void refused(Quotas quotas, Duration wait) {
    if (returned.compareAndSet(false, true)) {
      gate.answered(this, quotas, wait);
    }
  }

  /** An error came that says nothing of limits. */
  public void failed() {
    if (returned.compareAndSet(false, true)) {
      gate.failed(this);
    }
  }

  /** No answer came. Later calls have no effect, nor has this one after another. */
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
