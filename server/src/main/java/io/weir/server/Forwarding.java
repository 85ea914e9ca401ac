package io.weir.server;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the gateway forwards what it lets through.
 *
 * @param upstreams what it stands before where no route says otherwise; none, and no routes: the
 *     built-in echo API
 * @param routes other servers for some hosts and paths
 * @param ca whose certificates servers may have besides those of well-known authorities; empty:
 *     only those
 * @param connections how many connections there may be to each server
 * @param preserveHost whether servers are asked by the host that the client asked for, instead of
 *     their own
 * @param deadlines how long is waited for what
 * @param body what a client may send
 * @param clients what one client may hold
 * @param corsOrigins which pages of other origins may read refusals; {@code *}: all
 */
public record Forwarding(
    List<URI> upstreams,
    List<Route> routes,
    Optional<Path> ca,
    int connections,
    boolean preserveHost,
    Deadlines deadlines,
    BodyBounds body,
    ClientBounds clients,
    List<String> corsOrigins) {
  /** Before the echo API. */
  public static final Forwarding DEFAULT =
      new Forwarding(
          List.of(),
          List.of(),
          Optional.empty(),
          256,
          false,
          new Deadlines(Duration.ofSeconds(3), Duration.ofSeconds(30), Duration.ofSeconds(60)),
          new BodyBounds(OptionalLong.empty(), 240),
          new ClientBounds(1024, 75, 50),
          List.of());

  /** Copies the lists. */
  public Forwarding {
    upstreams = List.copyOf(upstreams);
    routes = List.copyOf(routes);
    corsOrigins = List.copyOf(corsOrigins);
  }

  /**
   * Servers for some hosts and paths.
   *
   * @param host in lower case, without port, maybe {@code *.example.com}; empty: any
   * @param path a canonical path; it and all below it
   * @param upstreams one or more, which take turns
   */
  public record Route(Optional<String> host, String path, List<URI> upstreams) {
    /** Copies the list. */
    public Route {
      upstreams = List.copyOf(upstreams);
    }
  }

  /**
   * How long is waited for what.
   *
   * @param connect for a connection to a server
   * @param response for the head of a response once the request was sent
   * @param body for the next bytes of a body, either way
   */
  public record Deadlines(Duration connect, Duration response, Duration body) {}

  /**
   * What a client may send.
   *
   * @param most bytes of a body; empty: as many as it likes
   * @param leastRate bytes a second that a body must come with on average, so that slow ones do not
   *     hold the connections to a server; 0: none
   */
  public record BodyBounds(OptionalLong most, long leastRate) {}

  /**
   * What one client may hold of the connections to a server.
   *
   * @param leastResponseRate bytes a second that it must take of a response while it is waited for;
   *     0: none
   * @param addressShare how many of the connections one address may use at once, in percent
   * @param connectionShare how many of them one HTTP/2 connection may use at once, in percent
   */
  public record ClientBounds(long leastResponseRate, int addressShare, int connectionShare) {}
}
