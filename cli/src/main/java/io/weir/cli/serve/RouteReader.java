package io.weir.cli.serve;

import io.weir.rules.SourceLocation;
import io.weir.rules.file.SettingsFile;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Forwarding.Route;
import io.weir.text.DidYouMean;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code routes:} of {@code weir.yaml}: a list of {@code {host, path, upstreams}}. */
final class RouteReader {
  static final String KEY = "routes";

  private static final List<String> FIELDS = List.of("host", "path", "upstreams");
  private static final Pattern HOST =
      Pattern.compile("(\\*\\.)?[a-z0-9_]([a-z0-9_-]*)(\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+]");
  private static final Path NOWHERE = Path.of("");

  private final BiConsumer<SourceLocation, String> wrong;

  /**
   * @param wrong receives each error and its place
   */
  RouteReader(BiConsumer<SourceLocation, String> wrong) {
    this.wrong = wrong;
  }

  /** The valid routes. */
  List<Route> read(SettingsFile.Entry table) {
    List<Route> routes = new ArrayList<>();
    Map<String, SourceLocation> seen = new HashMap<>();
    for (SettingsFile.Row row : table.rows()) {
      Route route = read(row);
      if (route != null) {
        String what = route.host().orElse("any host") + " " + route.path();
        SourceLocation before = seen.putIfAbsent(what, row.sourceLocation());
        if (before == null) {
          routes.add(route);
        } else {
          wrong.accept(
              row.sourceLocation(),
              "there is a route for " + what + " already, in line " + before.line());
        }
      }
    }
    return routes;
  }

  private @Nullable Route read(SettingsFile.Row row) {
    Optional<String> host = Optional.empty();
    String path = "/";
    List<URI> upstreams = List.of();
    boolean isRight = true;
    boolean hasUpstreams = false;
    for (SettingsFile.Entry field : row.entries()) {
      RawSetting rawSetting =
          new RawSetting(field.values().stream().map(SettingsFile.Value::text).toList(), NOWHERE);
      try {
        switch (field.key()) {
          case "host" -> host = Optional.of(host(rawSetting.text()));
          case "path" -> path = path(rawSetting.text());
          case "upstreams" -> {
            hasUpstreams = true;
            upstreams = rawSetting.urls();
          }
          default -> {
            isRight = false;
            wrong.accept(
                field.sourceLocation(),
                "unknown key "
                    + SettingsFile.shown(field.key())
                    + " of a route"
                    + DidYouMean.of(field.key(), FIELDS));
          }
        }
      } catch (IllegalArgumentException e) {
        isRight = false;
        SourceLocation sourceLocation =
            field.values().isEmpty()
                ? field.sourceLocation()
                : field.values().get(0).sourceLocation();
        wrong.accept(sourceLocation, field.key() + " " + e.getMessage());
      }
    }
    if (isRight && !hasUpstreams) {
      wrong.accept(row.sourceLocation(), "a route needs 'upstreams': one URL, or a list of them");
      return null;
    }
    return isRight ? new Route(host, path, upstreams) : null;
  }

  private static String host(String text) {
    String host = text.toLowerCase(Locale.ROOT);
    if (!HOST.matcher(host).matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no host; write shop.example or *.shop.example, without a port");
    }
    return host;
  }

  private static String path(String text) {
    String canonical;
    try {
      canonical = CanonicalPath.of(text);
    } catch (MalformedRequestException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no path that all understand alike: " + e.getMessage(), e);
    }
    if (!canonical.equals(text) || text.equals("*")) {
      throw new IllegalArgumentException(
          "'" + text + "' is not how paths are compared; write '" + canonical + "'");
    }
    return text;
  }
}
