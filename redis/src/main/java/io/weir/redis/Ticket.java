package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The receipt of permits taken from Redis. */
final class Ticket implements Buckets.Receipt {
  private final String key;
  private final Decision decision;
  private final Plan plan;
  private final Marks marks;
  private final Leases.@Nullable Spent spent;
  private long counted;

  Ticket(String key, Decision decision, Plan plan, Marks marks) {
    this(key, decision, plan, marks, null);
  }

  /** A receipt of permits taken in advance. */
  Ticket(String key, Plan plan, Leases.Spent spent) {
    this(key, spent.decision(), plan, new Marks(plan, List.of()), spent);
  }

  private Ticket(
      String key, Decision decision, Plan plan, Marks marks, Leases.@Nullable Spent spent) {
    this.key = key;
    this.decision = decision;
    this.plan = plan;
    this.marks = marks;
    this.spent = spent;
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

  /** Identifies the charge by what is known now; empty if it is unknown. */
  Marks marks() {
    return spent == null ? marks : spent.grant().marksOfSpent(spent.nanos());
  }

  /** Whether {@code unused} permits could be put back into the lease that they came from. */
  boolean isPutBack(long unused) {
    return spent != null && spent.grant().putBack(unused);
  }

  /** Records the locally counted cost, and returns the previous one. */
  synchronized long count(long cost) {
    long before = counted;
    counted = cost;
    return before;
  }
}
