package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;

/** The receipt of what was taken from Redis. */
final class Ticket implements Buckets.Receipt {
  private final String key;
  private final Decision decision;
  private final Plan plan;
  private final Marks marks;
  private long counted;

  Ticket(String key, Decision decision, Plan plan, Marks marks) {
    this.key = key;
    this.decision = decision;
    this.plan = plan;
    this.marks = marks;
    this.counted = decision.cost();
  }

  String key() {
    return key;
  }

  @Override
  public Decision decision() {
    return decision;
  }

  Plan plan() {
    return plan;
  }

  Marks marks() {
    return marks;
  }

  /** Notes what is counted of it here, and tells what was before. */
  synchronized long count(long cost) {
    long before = counted;
    counted = cost;
    return before;
  }
}
