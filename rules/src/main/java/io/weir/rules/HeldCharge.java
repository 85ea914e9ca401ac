package io.weir.rules;

import java.util.concurrent.CompletionStage;

/** A charge that can be corrected. */
final class HeldCharge implements Held {
  private final Charging<Ruling> charging;
  private final Ruling ruling;

  HeldCharge(Charging<Ruling> charging) {
    this.charging = charging;
    this.ruling = charging.bill().answer();
  }

  @Override
  public Ruling ruling() {
    return ruling;
  }

  @Override
  public CompletionStage<Void> settle(long actualCost) {
    if (actualCost < 0) {
      throw new IllegalArgumentException("actualCost must not be negative, but is " + actualCost);
    }
    return charging.settle(
        demand -> {
          boolean isOfRequest = demand.rule().cost() instanceof Cost.OfRequest;
          return isOfRequest || actualCost == 0 ? actualCost : demand.cost();
        });
  }

  @Override
  public boolean isTouched() {
    return charging.isTouched();
  }
}
