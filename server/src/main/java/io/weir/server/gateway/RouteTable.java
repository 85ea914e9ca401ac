package io.weir.server.gateway;

import io.weir.TimeSource;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.match.CanonicalPath;
import io.weir.server.Forwarding;
import io.weir.server.traffic.GatewayTraffic;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Selects the servers of a request: the route with the longest path wins; if several have it, the
 * one with the most specific host. Paths are compared in canonical form and by whole segments, so
 * that {@code /api} covers {@code /api/x} but not {@code /apis}. Immutable and thread-safe.
 */
final class RouteTable {
  /** How long a failing server is ejected. */
  static final Duration OUT = Duration.ofSeconds(5);

  private final List<Entry> entries;
  private final @Nullable Group fallback;
  private final boolean hasPaths;
  private final List<Group> groups;

  /**
   * The routes of the settings.
   *
   * @param out how long a failing server is ejected
   * @param traffic the counters of the gateway
   * @param clock without steps
   * @throws IllegalArgumentException if there are neither routes nor upstreams
   */
  RouteTable(
      Forwarding forwarding, Duration out, GatewayTraffic<ProxyError> traffic, TimeSource clock) {
    Map<URI, UpstreamServer> known = new HashMap<>(); // routes share the health of a server
    Function<URI, UpstreamServer> serverOf =
        url -> known.computeIfAbsent(url, each -> new UpstreamServer(each, out, traffic, clock));
    List<Entry> found = new ArrayList<>();
    int count = 0;
    for (Forwarding.Route route : forwarding.routes()) {
      List<UpstreamServer> servers = route.upstreams().stream().map(serverOf).toList();
      found.add(
          new Entry(route.host(), route.path(), new Group(count, name(route.path()), servers)));
      count++;
    }
    found.sort(Comparator.comparing(Entry::rank).reversed());
    List<URI> others = forwarding.upstreams();
    if (found.isEmpty() && others.isEmpty()) {
      throw new IllegalArgumentException("the gateway needs at least one upstream");
    }
    this.fallback =
        others.isEmpty() ? null : new Group(count, null, others.stream().map(serverOf).toList());
    this.entries = List.copyOf(found);
    List<Group> all = new ArrayList<>(found.stream().map(Entry::group).toList());
    if (fallback != null) {
      all.add(fallback);
    }
    this.groups = List.copyOf(all);
    this.hasPaths = found.stream().anyMatch(entry -> !entry.path.equals("/"));
  }

  /** All groups, numbered from 0. */
  List<Group> groups() {
    return groups;
  }

  /** The group of a request; null if no route matches. */
  @Nullable Group find(InboundRequest inboundRequest) {
    if (entries.isEmpty()) {
      return fallback;
    }
    String path = hasPaths ? CanonicalPath.of(RequestTarget.path(inboundRequest.target())) : "/";
    String host = host(inboundRequest.host());
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).covers(host, path)) {
        return entries.get(i).group;
      }
    }
    return fallback;
  }

  /** The host in lower case, without port and trailing dot. */
  private static String host(@Nullable String authority) {
    if (authority == null) {
      return "";
    }
    int end = authority.length();
    int colon = authority.lastIndexOf(':');
    if (colon >= 0 && authority.indexOf(']', colon) < 0) {
      end = colon;
    }
    if (end > 0 && authority.charAt(end - 1) == '.') {
      end--;
    }
    return authority.substring(0, end).toLowerCase(Locale.ROOT);
  }

  /** The path as a route name; null if it covers all paths. */
  private static @Nullable String name(String path) {
    return path.equals("/") ? null : path;
  }

  /**
   * Servers used in turn.
   *
   * @param route the path of their route; null if it covers all paths
   */
  record Group(int number, @Nullable String route, List<UpstreamServer> upstreamServers) {}

  private record Entry(Optional<String> host, String path, Group group) {
    /** More specific entries rank higher. */
    int rank() {
      int exactness = host.map(name -> name.startsWith("*") ? name.length() : 1000).orElse(0);
      return path.length() * 2000 + exactness;
    }

    boolean covers(String requestHost, String requestPath) {
      return coversHost(requestHost) && coversPath(requestPath);
    }

    private boolean coversHost(String requestHost) {
      if (host.isEmpty()) {
        return true;
      }
      String name = host.get();
      return name.startsWith("*.")
          ? requestHost.length() >= name.length() && requestHost.endsWith(name.substring(1))
          : name.equals(requestHost);
    }

    private boolean coversPath(String requestPath) {
      return path.equals("/")
          || (requestPath.startsWith(path)
              && (requestPath.length() == path.length()
                  || requestPath.charAt(path.length()) == '/'));
    }
  }
}
