package io.weir.server;

import io.weir.TimeSource;
import io.weir.arbiter.Reloads;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * How the process is: whether it wants work, who is connected, and how reloads of its rules went.
 */
public final class Vitals {
  private final Map<String, IntSupplier> connections =
      Collections.synchronizedMap(new LinkedHashMap<>());
  private final Map<String, Port> ports = Collections.synchronizedMap(new LinkedHashMap<>());
  private final Reloads reloads;
  private volatile boolean isReady;

  /** Of a process whose rules never changed. */
  public Vitals() {
    this(new Reloads(TimeSource.system()));
  }

  Vitals(Reloads reloads) {
    this.reloads = reloads;
  }

  /** Whether new requests are welcome: not before all fronts listen, nor while they are drained. */
  public boolean isReady() {
    return isReady;
  }

  /** How changes of the rules went. */
  public Reloads reloads() {
    return reloads;
  }

  /** How many are connected to each port now. */
  public Map<String, Integer> connections() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    synchronized (connections) {
      connections.forEach((port, count) -> counts.put(port, count.getAsInt()));
    }
    return counts;
  }

  /** Where it listens, by the names of its ports. */
  public Map<String, Port> ports() {
    synchronized (ports) {
      return new LinkedHashMap<>(ports);
    }
  }

  void ready(boolean now) {
    isReady = now;
  }

  /** Who is connected to {@code port} is counted by {@code inside}. */
  void connected(String port, IntSupplier inside) {
    connections.put(port, inside);
  }

  /** {@code port} is open. */
  void listens(String port, int number, boolean isTls) {
    ports.put(port, new Port(number, isTls));
  }

  /**
   * A port that is listened on.
   *
   * @param isTls whether clients have to speak TLS
   */
  public record Port(int number, boolean isTls) {}
}
