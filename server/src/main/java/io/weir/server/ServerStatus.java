package io.weir.server;

import io.weir.TimeSource;
import io.weir.decision.ReloadCounters;
import io.weir.server.traffic.GatewayTraffic;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The status of the process: readiness, connections, and reloads of its rules. Thread-safe. */
public final class ServerStatus {
  private final Map<String, IntSupplier> connections =
      Collections.synchronizedMap(new LinkedHashMap<>());
  private final Map<String, Port> ports = Collections.synchronizedMap(new LinkedHashMap<>());
  private final ReloadCounters reloadCounters;
  private volatile boolean isReady;
  private volatile @Nullable GatewayTraffic<?> gateway;
  private volatile IntSupplier reservations = () -> 0;
  private volatile LongSupplier droppedAccessLines = () -> 0;

  /** The status of a process with rules that never changed. */
  public ServerStatus() {
    this(new ReloadCounters(TimeSource.system()));
  }

  ServerStatus(ReloadCounters reloadCounters) {
    this.reloadCounters = reloadCounters;
  }

  /**
   * Whether the server accepts new requests: not before all front ends listen, nor during a drain.
   */
  public boolean isReady() {
    return isReady;
  }

  /** The history of rule reloads. */
  public ReloadCounters reloadCounters() {
    return reloadCounters;
  }

  /** How many connections each port has now. */
  public Map<String, Integer> connections() {
    Map<String, Integer> counts = new LinkedHashMap<>();
    synchronized (connections) {
      connections.forEach((port, count) -> counts.put(port, count.getAsInt()));
    }
    return counts;
  }

  /** The open ports by name. */
  public Map<String, Port> ports() {
    synchronized (ports) {
      return new LinkedHashMap<>(ports);
    }
  }

  /** The gateway's counters; empty if there is no gateway. */
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

  /** Registers the connection count of {@code port}. */
  void connected(String port, IntSupplier inside) {
    connections.put(port, inside);
  }

  /** Records that {@code port} is open. */
  void listens(String port, int number, boolean isTls) {
    ports.put(port, new Port(number, isTls));
  }

  /**
   * An open port.
   *
   * @param isTls whether clients have to use TLS
   */
  public record Port(int number, boolean isTls) {}
}
