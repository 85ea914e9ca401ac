package io.weir.server;

import io.weir.TimeSource;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/**
 * How the process is: whether it wants work, who is connected, and how reloads of its rules went.
 */
public final class Vitals {
  private final TimeSource time;
  private final Map<String, IntSupplier> connections =
      Collections.synchronizedMap(new LinkedHashMap<>());
  private final LongAdder reloads = new LongAdder();
  private final LongAdder rejectedReloads = new LongAdder();
  private volatile Instant rulesSince;
  private volatile boolean isReady;

  /** By the clock of the system. */
  public Vitals() {
    this(TimeSource.system());
  }

  Vitals(TimeSource time) {
    this.time = time;
    this.rulesSince = now();
  }

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

  /** Since when the rules in force are in force. */
  public Instant rulesSince() {
    return rulesSince;
  }

  /** How many are connected to each port now. */
  public Map<String, Integer> connections() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    synchronized (connections) {
      connections.forEach((port, count) -> counts.put(port, count.getAsInt()));
    }
    return counts;
  }

  void ready(boolean now) {
    isReady = now;
  }

  void reloaded() {
    rulesSince = now();
    reloads.increment();
  }

  void rejected() {
    rejectedReloads.increment();
  }

  /** Who is connected to {@code port} is counted by {@code inside}. */
  void connected(String port, IntSupplier inside) {
    connections.put(port, inside);
  }

  private Instant now() {
    return Instant.ofEpochMilli(TimeUnit.NANOSECONDS.toMillis(time.epochNanos()));
  }
}
