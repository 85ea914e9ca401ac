package io.weir.rules.engine;

import io.weir.rules.Cost;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import java.util.concurrent.CompletionStage;

/** A charge that can be corrected. */
public final class SettleableCharge implements HeldCharge {
  private final Charging<RequestDecision> charging;
  private final RequestDecision requestDecision;

  public SettleableCharge(Charging<RequestDecision> charging) {
    this.charging = charging;
    this.requestDecision = charging.pending().result();
  }

  @Override
  public RequestDecision requestDecision() {
    return requestDecision;
  }

  @Override
  public CompletionStage<Void> settle(long actualCost) {
    if (actualCost < 0) {
      throw new IllegalArgumentException("actualCost must not be negative, but is " + actualCost);
    }
    return charging.settle(
        charge -> {
          boolean isOfRequest = charge.rule().cost() instanceof Cost.OfRequest;
          return isOfRequest || actualCost == 0 ? actualCost : charge.cost();
        });
  }

  @Override
  public boolean isTouched() {
    return charging.isTouched();
  }
}
