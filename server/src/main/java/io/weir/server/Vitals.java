package io.weir.server;

import io.weir.TimeSource;
import io.weir.arbiter.Reloads;
import io.weir.server.traffic.GatewayTraffic;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How the process is: whether it wants work, who is connected, and how reloads of its rules went.
 */
public final class Vitals {
  private final Map<String, IntSupplier> connections =
      Collections.synchronizedMap(new LinkedHashMap<>());
  private final Map<String, Port> ports = Collections.synchronizedMap(new LinkedHashMap<>());
  private final Reloads reloads;
  private volatile boolean isReady;
  private volatile @Nullable GatewayTraffic<?> gateway;
  private volatile IntSupplier reservations = () -> 0;
  private volatile LongSupplier droppedAccessLines = () -> 0;

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

  /** What the gateway counts; empty if there is none. */
  public Optional<GatewayTraffic<?>> gateway() {
    return Optional.ofNullable(gateway);
  }

  /** How many reservations are open at the service. */
  public int reservations() {
    return reservations.getAsInt();
  }

  /** How many lines of the access log were dropped. */
  public long droppedAccessLines() {
    return droppedAccessLines.getAsLong();
  }

  void droppedAccessLines(LongSupplier dropped) {
    droppedAccessLines = dropped;
  }

  void gateway(GatewayTraffic<?> counted) {
    gateway = counted;
  }

  void reservations(IntSupplier open) {
    reservations = open;
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
