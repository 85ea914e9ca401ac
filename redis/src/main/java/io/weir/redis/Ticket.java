package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import org.jspecify.annotations.Nullable;

/** The receipt of what was taken from Redis. */
final class Ticket implements Buckets.Receipt {
  private final String key;
  private final Decision decision;
  private final Plan plan;
  private final Marks marks;
  private final @Nullable Grant grant;
  private long counted;

  Ticket(String key, Decision decision, Plan plan, Marks marks) {
    this(key, decision, plan, marks, null);
  }

  /** Of what was taken from Redis in advance. */
  Ticket(String key, Plan plan, Leases.Spent spent) {
    this(key, spent.decision(), plan, spent.grant().marksOfSpent(), spent.grant());
  }

  private Ticket(String key, Decision decision, Plan plan, Marks marks, @Nullable Grant grant) {
    this.key = key;
    this.decision = decision;
    this.plan = plan;
    this.marks = marks;
    this.grant = grant;
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

  /** Whether {@code unused} permits could be put back where they were taken from in advance. */
  boolean isPutBack(long unused) {
    return grant != null && grant.putBack(unused);
  }

  /** Notes what is counted of it here, and tells what was before. */
  synchronized long count(long cost) {
    long before = counted;
    counted = cost;
    return before;
  }
}
