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
}
