package io.weir.server.gateway;

import io.weir.TimeSource;
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
 * An upstream server: its address and its passive health, shared by all event loops. Thread-safe.
 *
 * <p>A server that fails several times in a row is ejected for some seconds. Then a single request
 * tries it again, and the others follow when that one gets a response. So if the server is still
 * down, only one request has waited in vain.
 */
final class UpstreamServer {
  private static final int FAILURES = 3;

  private final Scheme scheme;
  private final String host;
  private final int port;
  private final String prefix;
  private final long outNanos;
  private final TimeSource clock;
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicBoolean isOut = new AtomicBoolean();
  private final AtomicLong outSince = new AtomicLong();
  private final UpstreamTraffic<ProxyError> traffic;
  private final RequestTrace.Target target;

  /**
   * A server by its URL.
   *
   * @param out how long a failing server is ejected
   * @param traffic the counters of the gateway
   * @param clock without steps
   */
  UpstreamServer(URI url, Duration out, GatewayTraffic<ProxyError> traffic, TimeSource clock) {
    this.scheme = Scheme.valueOf(url.getScheme().toUpperCase(Locale.ROOT));
    String name = url.getHost();
    this.host = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
    this.port = url.getPort() >= 0 ? url.getPort() : scheme == Scheme.HTTPS ? 443 : 80;
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    this.prefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    this.outNanos = out.toNanos();
    this.clock = clock;
    this.traffic = traffic.upstream(toString());
    this.target = new RequestTrace.Target(scheme == Scheme.HTTPS ? "https" : "http", host, port);
  }

  /** The protocol of a server. */
  enum Scheme {
    /** HTTP/1.1 without TLS. */
    HTTP,
    /** HTTP/2 over TLS, or HTTP/1.1 if the server does not support HTTP/2. */
    HTTPS,
    /** HTTP/2 without TLS, with prior knowledge. */
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

  /** The path prefix of each request's target. */
  String prefix() {
    return prefix;
  }

  /**
   * Whether the server may be used now. A caller that gets true must use it: for an ejected server,
   * true is returned to one caller only.
   */
  boolean tryUse() {
    if (!isOut.get()) {
      return true;
    }
    long since = outSince.get();
    long now = clock.epochNanos();
    return now - since >= outNanos && outSince.compareAndSet(since, now);
  }

  void failed() {
    if (failures.incrementAndGet() >= FAILURES) {
      outSince.set(clock.epochNanos());
      out(true);
    }
  }

  /** The server has sent a response head, which ends an ejection. */
  void answered() {
    if (isOut.get()) {
      served();
    }
  }

  /** The server has sent a complete response. */
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

  /** The server as reported to tracing. */
  RequestTrace.Target target() {
    return target;
  }

  /** The counters of this server. */
  UpstreamTraffic<ProxyError> traffic() {
    return traffic;
  }

  /** The URL of the settings, with its port: {@code http://10.0.0.7:9000/api}. */
  @Override
  public String toString() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return scheme.name().toLowerCase(Locale.ROOT) + "://" + name + ":" + port + prefix;
  }
}
