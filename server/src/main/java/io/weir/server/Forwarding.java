package io.weir.server;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the gateway forwards allowed requests. Immutable.
 *
 * @param upstreams the upstreams for requests without a route; if there are none, and no routes,
 *     the built-in echo API
 * @param routes other upstreams for some hosts and paths
 * @param ca certificate authorities trusted for upstreams besides the well-known ones; empty: only
 *     those
 * @param connections the most connections to each upstream
 * @param preserveHost whether upstreams get the client's Host instead of their own
 * @param upstreamTimeouts the timeouts
 * @param body bounds of request bodies
 * @param clients bounds of what one client may hold
 * @param corsOrigins the CORS origins that may read refusals; {@code *}: all
 */
public record Forwarding(
    List<URI> upstreams,
    List<Route> routes,
    Optional<Path> ca,
    int connections,
    boolean preserveHost,
    UpstreamTimeouts upstreamTimeouts,
    BodyLimits body,
    ClientLimits clients,
    List<String> corsOrigins) {
  /** Forwards to the echo API. */
  public static final Forwarding DEFAULT =
      new Forwarding(
          List.of(),
          List.of(),
          Optional.empty(),
          256,
          false,
          new UpstreamTimeouts(
              Duration.ofSeconds(3), Duration.ofSeconds(30), Duration.ofSeconds(60)),
          new BodyLimits(OptionalLong.empty(), 240),
          new ClientLimits(1024, 75, 50),
          List.of());

  /** Copies the lists. */
  public Forwarding {
    upstreams = List.copyOf(upstreams);
    routes = List.copyOf(routes);
    corsOrigins = List.copyOf(corsOrigins);
  }

  /**
   * A route: upstreams for some hosts and paths.
   *
   * @param host in lower case, without port, maybe {@code *.example.com}; empty: any
   * @param path a canonical path; the route matches it and all paths below it
   * @param upstreams one or more, used in rotation
   */
  public record Route(Optional<String> host, String path, List<URI> upstreams) {
    /** Copies the list. */
    public Route {
      upstreams = List.copyOf(upstreams);
    }
  }

  /**
   * The timeouts of forwarding.
   *
   * @param connect for a connection to an upstream
   * @param response for the response headers, once the request was sent
   * @param body for the next bytes of a body, in either direction
   */
  public record UpstreamTimeouts(Duration connect, Duration response, Duration body) {}

  /**
   * The bounds of request bodies.
   *
   * @param most the most bytes of a body; empty: unlimited
   * @param leastRate the minimum average rate of a body in bytes a second, so that slow clients do
   *     not hold connections to an upstream; 0: none
   */
  public record BodyLimits(OptionalLong most, long leastRate) {}

  /**
   * The bounds of what one client may hold of the connections to an upstream.
   *
   * @param leastResponseRate the minimum rate in bytes a second at which a client must read a
   *     response; 0: none
   * @param addressShare how many of the connections one address may use at once, in percent
   * @param connectionShare how many of them one HTTP/2 connection may use at once, in percent
   */
  public record ClientLimits(long leastResponseRate, int addressShare, int connectionShare) {}
}
