package io.weir.server;

import io.weir.server.Forwarding.BodyBounds;
import io.weir.server.Forwarding.ClientBounds;
import io.weir.server.Forwarding.Deadlines;
import io.weir.server.Forwarding.Route;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** How the gateway forwards, part by part. Each setter replaces one thing. */
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
    connectTimeout = from.deadlines().connect();
    responseTimeout = from.deadlines().response();
    bodyTimeout = from.deadlines().body();
    maxBody = from.body().most();
    minBodyRate = from.body().leastRate();
    minResponseRate = from.clients().leastResponseRate();
    addressShare = from.clients().addressShare();
    connectionShare = from.clients().connectionShare();
    corsOrigins = from.corsOrigins();
  }

  /** What the gateway stands before where no route says otherwise. */
  public ForwardingBuilder upstreams(List<URI> urls) {
    upstreams = urls;
    return this;
  }

  /** Other servers for some hosts and paths. */
  public ForwardingBuilder routes(List<Route> others) {
    routes = others;
    return this;
  }

  /** Whose certificates servers may have besides those of well-known authorities. */
  public ForwardingBuilder ca(Path file) {
    ca = Optional.of(file);
    return this;
  }

  /** How many connections there may be to each server. */
  public ForwardingBuilder connections(int most) {
    connections = most;
    return this;
  }

  /** Whether servers are asked by the host that the client asked for. */
  public ForwardingBuilder preserveHost(boolean isOn) {
    preserveHost = isOn;
    return this;
  }

  /** How long is waited for a connection to a server. */
  public ForwardingBuilder connectTimeout(Duration longest) {
    connectTimeout = longest;
    return this;
  }

  /** How long is waited for the head of a response. */
  public ForwardingBuilder responseTimeout(Duration longest) {
    responseTimeout = longest;
    return this;
  }

  /** How long is waited for the next bytes of a body, either way. */
  public ForwardingBuilder bodyTimeout(Duration longest) {
    bodyTimeout = longest;
    return this;
  }

  /** How many bytes a request's body may have. */
  public ForwardingBuilder maxBody(OptionalLong bytes) {
    maxBody = bytes;
    return this;
  }

  /** How many bytes a second a request's body must come with on average; 0: none. */
  public ForwardingBuilder minBodyRate(long bytesPerSecond) {
    minBodyRate = bytesPerSecond;
    return this;
  }

  /** How many bytes a second a client must take of a response while it is waited for; 0: none. */
  public ForwardingBuilder minResponseRate(long bytesPerSecond) {
    minResponseRate = bytesPerSecond;
    return this;
  }

  /** How many of the connections to a server one client address may use at once, in percent. */
  public ForwardingBuilder addressShare(int percent) {
    addressShare = percent;
    return this;
  }

  /** How many of the connections to a server one HTTP/2 connection may use at once, in percent. */
  public ForwardingBuilder connectionShare(int percent) {
    connectionShare = percent;
    return this;
  }

  /** Which pages of other origins may read refusals; {@code *}: all. */
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
        new Deadlines(connectTimeout, responseTimeout, bodyTimeout),
        new BodyBounds(maxBody, minBodyRate),
        new ClientBounds(minResponseRate, addressShare, connectionShare),
        corsOrigins);
  }
}
