package io.weir.server;

import io.weir.server.Forwarding.BodyLimits;
import io.weir.server.Forwarding.ClientLimits;
import io.weir.server.Forwarding.Route;
import io.weir.server.Forwarding.UpstreamTimeouts;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Builds a {@link Forwarding}. Each setter replaces one value. Not thread-safe. */
public final class ForwardingBuilder {
  private List<URI> upstreams;
  private List<Route> routes;
  private Optional<Path> ca;
  private int connections;
  private boolean preserveHost;
  private Duration connectTimeout;
  private Duration responseTimeout;
  private Duration bodyTimeout;
  private OptionalLong maxBody;
  private long minBodyRate;
  private long minResponseRate;
  private int addressShare;
  private int connectionShare;
  private List<String> corsOrigins;

  ForwardingBuilder(Forwarding from) {
    upstreams = from.upstreams();
    routes = from.routes();
    ca = from.ca();
    connections = from.connections();
    preserveHost = from.preserveHost();
    connectTimeout = from.upstreamTimeouts().connect();
    responseTimeout = from.upstreamTimeouts().response();
    bodyTimeout = from.upstreamTimeouts().body();
    maxBody = from.body().most();
    minBodyRate = from.body().leastRate();
    minResponseRate = from.clients().leastResponseRate();
    addressShare = from.clients().addressShare();
    connectionShare = from.clients().connectionShare();
    corsOrigins = from.corsOrigins();
  }

  /** The upstreams for requests without a route. */
  public ForwardingBuilder upstreams(List<URI> urls) {
    upstreams = urls;
    return this;
  }

  /** Other upstreams for some hosts and paths. */
  public ForwardingBuilder routes(List<Route> others) {
    routes = others;
    return this;
  }

  /** Certificate authorities trusted for upstreams besides the well-known ones. */
  public ForwardingBuilder ca(Path file) {
    ca = Optional.of(file);
    return this;
  }

  /** The most connections to each upstream. */
  public ForwardingBuilder connections(int limit) {
    connections = limit;
    return this;
  }

  /** Whether upstreams get the client's Host instead of their own. */
  public ForwardingBuilder preserveHost(boolean isOn) {
    preserveHost = isOn;
    return this;
  }

  /** The timeout for a connection to an upstream. */
  public ForwardingBuilder connectTimeout(Duration timeout) {
    connectTimeout = timeout;
    return this;
  }

  /** The timeout for the response headers. */
  public ForwardingBuilder responseTimeout(Duration timeout) {
    responseTimeout = timeout;
    return this;
  }

  /** The timeout for the next bytes of a body, in either direction. */
  public ForwardingBuilder bodyTimeout(Duration timeout) {
    bodyTimeout = timeout;
    return this;
  }

  /** The most bytes of a request body. */
  public ForwardingBuilder maxBody(OptionalLong bytes) {
    maxBody = bytes;
    return this;
  }

  /** The minimum average rate of a request body in bytes a second; 0: none. */
  public ForwardingBuilder minBodyRate(long bytesPerSecond) {
    minBodyRate = bytesPerSecond;
    return this;
  }

  /** The minimum rate in bytes a second at which a client must read a response; 0: none. */
  public ForwardingBuilder minResponseRate(long bytesPerSecond) {
    minResponseRate = bytesPerSecond;
    return this;
  }

  /** How many of the connections to an upstream one client address may use at once, in percent. */
  public ForwardingBuilder addressShare(int percent) {
    addressShare = percent;
    return this;
  }

  /**
   * How many of the connections to an upstream one HTTP/2 connection may use at once, in percent.
   */
  public ForwardingBuilder connectionShare(int percent) {
    connectionShare = percent;
    return this;
  }

  /** The CORS origins that may read refusals; {@code *}: all. */
  public ForwardingBuilder corsOrigins(List<String> origins) {
    corsOrigins = origins;
    return this;
  }

  Forwarding build() {
    return new Forwarding(
        upstreams,
        routes,
        ca,
        connections,
        preserveHost,
        new UpstreamTimeouts(connectTimeout, responseTimeout, bodyTimeout),
        new BodyLimits(maxBody, minBodyRate),
        new ClientLimits(minResponseRate, addressShare, connectionShare),
        corsOrigins);
  }
}
