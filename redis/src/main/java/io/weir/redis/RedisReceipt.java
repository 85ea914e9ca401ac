package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The receipt of permits taken from Redis. */
final class RedisReceipt implements Buckets.Receipt {
  private final String key;
  private final Decision decision;
  private final ScriptPlan scriptPlan;
  private final ChargeMarks chargeMarks;
  private final Leases.@Nullable Spent spent;
  private long counted;

  RedisReceipt(String key, Decision decision, ScriptPlan scriptPlan, ChargeMarks chargeMarks) {
    this(key, decision, scriptPlan, chargeMarks, null);
  }

  /** A receipt of permits taken in advance. */
  RedisReceipt(String key, ScriptPlan scriptPlan, Leases.Spent spent) {
    this(key, spent.decision(), scriptPlan, new ChargeMarks(scriptPlan, List.of()), spent);
  }

  private RedisReceipt(
      String key,
      Decision decision,
      ScriptPlan scriptPlan,
      ChargeMarks chargeMarks,
      Leases.@Nullable Spent spent) {
    this.key = key;
    this.decision = decision;
    this.scriptPlan = scriptPlan;
    this.chargeMarks = chargeMarks;
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

  ScriptPlan scriptPlan() {
    return scriptPlan;
  }

  /** Identifies the charge by what is known now; empty if it is unknown. */
  ChargeMarks chargeMarks() {
    return spent == null ? chargeMarks : spent.grant().marksOfSpent(spent.nanos());
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
