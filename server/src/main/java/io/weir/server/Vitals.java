package io.weir.server;

import java.util.concurrent.atomic.LongAdder;

/** How the process is: whether it wants work, and how reloads of its rules went. */
public final class Vitals {
  private final LongAdder reloads = new LongAdder();
  private final LongAdder rejectedReloads = new LongAdder();
  private volatile boolean isReady;

  /** Whether new requests are welcome: not before all fronts listen, nor while they are drained. */
  public boolean isReady() {
    return isReady;
  }

  /** How often rules that had changed were taken up. */
  public long reloads() {
    return reloads.sum();
  }

  /** How often rules that had changed were wrong, so that the old ones stayed. */
  public long rejectedReloads() {
    return rejectedReloads.sum();
  }

  void ready(boolean now) {
    isReady = now;
  }

  void reloaded() {
    reloads.increment();
  }

  void rejected() {
    rejectedReloads.increment();
  }
}
