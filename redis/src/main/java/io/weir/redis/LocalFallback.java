package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Origin;
import io.weir.Store;
import java.time.Duration;
import java.util.function.IntSupplier;

/** This node's share of the limits, by as many nodes as there are. */
final class LocalFallback implements Fallback {
  private final LocalShare share;
  private final IntSupplier nodes;
  private volatile int sharing;

  LocalFallback(Store.Blueprint blueprint, IntSupplier nodes) {
    this.nodes = nodes;
    this.sharing = nodes.getAsInt();
    this.share = new LocalShare(blueprint, sharing);
  }

  private LocalShare share() {
    int present = nodes.getAsInt();
    if (present != sharing) {
      sharing = present;
      share.share(present).run();
    }
    return share;
  }

  @Override
  public Origin origin() {
    return Origin.LOCAL;
  }

  @Override
  public Decision check(String key, long cost) {
    return share().check(key, cost);
  }

  @Override
  public Decision peek(String key, long cost) {
    return share().peek(key, cost);
  }

  @Override
  public Buckets.Receipt take(String key, long cost) {
    return share().take(key, cost);
  }

  @Override
  public Buckets.Receipt reserve(String key, long cost, Duration longestWait) {
    return share().reserve(key, cost, longestWait);
  }

  @Override
  public void settle(Buckets.Receipt receipt, long actualCost) {
    if (LocalShare.isLocal(receipt)) {
      share.settle(receipt, actualCost);
    }
  }

  @Override
  public void granted(String key, long cost) {
    share.granted(key, cost);
  }

  @Override
  public void refund(String key, long permits) {
    share.refund(key, permits);
  }

  @Override
  public void reset(String key) {
    share.reset(key);
  }

  @Override
  public void reconfigure(Store.Blueprint blueprint) {
    share.reconfigure(blueprint).run();
  }
}
