package io.weir.server.gateway;

import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.UpstreamTraffic;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server behind the gateway: where it is, and how it has done lately. One for all event loops.
 *
 * <p>It is judged by what passes: when it fails several times in a row, it is left out for some
 * seconds. Then one request tries it again, and the others follow when that is answered: if nobody
 * is there, one has waited in vain and not all.
 */
final class Origin {
  private static final int FAILURES = 3;

  private final Scheme scheme;
  private final String host;
  private final int port;
  private final String prefix;
  private final long outNanos;
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicBoolean isOut = new AtomicBoolean();
  private final AtomicLong outSince = new AtomicLong();
  private final UpstreamTraffic<Failure> traffic;
  private final RequestTrace.Target target;

  /**
   * A server by its URL.
   *
   * @param out how long it is left out when it fails
   * @param traffic where its requests are counted
   */
  Origin(URI url, Duration out, GatewayTraffic<Failure> traffic) {
    this.scheme = Scheme.valueOf(url.getScheme().toUpperCase(Locale.ROOT));
    String name = url.getHost();
    this.host = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
    this.port = url.getPort() >= 0 ? url.getPort() : scheme == Scheme.HTTPS ? 443 : 80;
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    this.prefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    this.outNanos = out.toNanos();
    this.traffic = traffic.upstream(toString());
    this.target = new RequestTrace.Target(scheme == Scheme.HTTPS ? "https" : "http", host, port);
  }

  /** How it is spoken to. */
  enum Scheme {
    /** HTTP/1.1 in clear. */
    HTTP,
    /** HTTP/2, or HTTP/1.1 if it does not know that, by TLS. */
    HTTPS,
    /** HTTP/2 in clear, from the first byte on. */
    H2C
  }

  Scheme scheme() {
    return scheme;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  /** What comes before the target of each request. */
  String prefix() {
    return prefix;
  }

  /** Whether it is to be asked now; who is told so asks it. */
  boolean isTurn() {
    if (!isOut.get()) {
      return true;
    }
    long since = outSince.get();
    long now = System.nanoTime();
    return now - since >= outNanos && outSince.compareAndSet(since, now);
  }

  void failed() {
    if (failures.incrementAndGet() >= FAILURES) {
      outSince.set(System.nanoTime());
      out(true);
    }
  }

  /** It has begun to answer: if it was out, it is back. */
  void answered() {
    if (isOut.get()) {
      served();
    }
  }

  /** It has answered to the end. */
  void served() {
    if (failures.get() != 0) {
      failures.set(0);
      out(false);
    }
  }

  private void out(boolean now) {
    if (isOut.compareAndSet(!now, now)) {
      traffic.out(now);
    }
  }

  /** What it is to those who follow requests. */
  RequestTrace.Target target() {
    return target;
  }

  /** What is counted of it. */
  UpstreamTraffic<Failure> traffic() {
    return traffic;
  }

  /** As it stands in the settings, with its port: {@code http://10.0.0.7:9000/api}. */
  @Override
  public String toString() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return scheme.name().toLowerCase(Locale.ROOT) + "://" + name + ":" + port + prefix;
  }
}
