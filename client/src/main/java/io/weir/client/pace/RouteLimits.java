package io.weir.client.pace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which limits apply to which requests, learned from responses. Only the most recent routes are
 * kept.
 *
 * <p>Requests with the same method and path, numbers ignored, are assumed to have the same limits.
 * An unknown route uses its relatives: if at least two routes in the same directory are known, the
 * limits that applied to all of them.
 */
final class RouteLimits {
  private static final int MAX_ROUTES = 256;
  private static final int MAX_SEGMENTS = 12;
  private static final int LONG_SEGMENT = 32;

  private final Map<String, Route> routes = latest();
  private final Map<String, RouteGroup> byDirectory = latest();

  private static <T> Map<String, T> latest() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
        return size() > MAX_ROUTES;
      }
    };
  }

  /** Requests that are assumed to have the same limits. */
  static final class Route {
    private final String name;
    private @Nullable List<LimitPacer> limitPacers;

    Route(String name) {
      this.name = name;
    }
  }

  /** The routes of one directory: a single one stands for all until there is a second. */
  private static final class RouteGroup {
    private final String first;
    private boolean hasSecond;
    private List<LimitPacer> limitPacers;

    RouteGroup(String first, List<LimitPacer> limitPacers) {
      this.first = first;
      this.limitPacers = limitPacers;
    }
  }

  Route route(String method, @Nullable String path) {
    return routes.computeIfAbsent(name(method, path == null ? "/" : path), Route::new);
  }

  /** The limits that apply to a route; null if unknown. */
  @Nullable List<LimitPacer> paces(Route route) {
    if (route.limitPacers != null) {
      return route.limitPacers;
    }
    for (String above = above(route.name); !above.isEmpty(); above = above(above)) {
      RouteGroup routeGroup = byDirectory.get(above);
      if (routeGroup != null && routeGroup.hasSecond) {
        return routeGroup.limitPacers;
      }
    }
    return null;
  }

  /** The limits that responses to this very route reported. */
  List<LimitPacer> learned(Route route) {
    return route.limitPacers == null ? List.of() : route.limitPacers;
  }

  /** Records which limits a response reported. */
  void learn(Route route, List<LimitPacer> limitPacers) {
    route.limitPacers = limitPacers;
    for (String above = above(route.name); !above.isEmpty(); above = above(above)) {
      RouteGroup routeGroup =
          byDirectory.computeIfAbsent(above, name -> new RouteGroup(route.name, limitPacers));
      if (!route.name.equals(routeGroup.first)) {
        routeGroup.hasSecond = true;
        routeGroup.limitPacers =
            routeGroup.limitPacers.stream().filter(limitPacers::contains).toList();
      } else if (!routeGroup.hasSecond) {
        routeGroup.limitPacers = limitPacers;
      }
    }
  }

  /** {@code GET /users/42/orders} becomes {@code GET /users/#/orders}. */
  static String name(String method, String path) {
    StringBuilder name = new StringBuilder(method).append(' ');
    String[] segments = path.split("/+", MAX_SEGMENTS);
    for (int i = 0; i < segments.length; i++) {
      if (!segments[i].isEmpty()) {
        boolean isAny = segments[i].length() > LONG_SEGMENT || hasDigit(segments[i]);
        name.append('/').append(isAny ? "#" : segments[i]);
      }
    }
    return name.toString();
  }

  private static boolean hasDigit(String segment) {
    return segment.chars().anyMatch(c -> c >= '0' && c <= '9');
  }

  /** The directory of a route or a directory; empty above the highest. */
  private static String above(String name) {
    int slash = name.lastIndexOf('/');
    return slash < 0 ? "" : name.substring(0, slash);
  }
}
