package io.weir.servlet;

import io.weir.decision.RuleSource;
import io.weir.insight.Insights;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.match.Network;
import io.weir.runtime.Node;
import io.weir.text.DurationParser;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Configures a filter from init parameters, with the names and formats of the server's settings in
 * {@code weir.yaml}. Unknown or invalid parameters stop the start.
 */
final class InitParameters {
  private static final Set<String> NAMES =
      new TreeSet<>(
          List.of(
              "rules",
              "store",
              "store_timeout",
              "max_keys",
              "trusted_proxies",
              "cors_origins",
              "headers",
              "reset_unit",
              "encoded_slashes",
              "waiting",
              "most_held"));
  private static final DurationParser TIME = DurationParser.of(9, "ms", "s");
  private static final String PRIVATE = "/WEB-INF/";

  private final FilterConfig config;

  private InitParameters(FilterConfig config) {
    this.config = config;
  }

  /** Opens a node as configured; it is closed with the filter. */
  static WeirFilter.Builder read(FilterConfig config) throws ServletException {
    InitParameters all = new InitParameters(config);
    all.requireKnown();
    try {
      return all.filter(all.node());
    } catch (InvalidRulesException e) {
      throw new ServletException("the rules are wrong: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ServletException(String.valueOf(e.getMessage()), e);
    }
  }

  private void requireKnown() throws ServletException {
    for (String name : Collections.list(config.getInitParameterNames())) {
      if (!NAMES.contains(name)) {
        throw new ServletException(
            "filter "
                + config.getFilterName()
                + ": unknown init parameter '"
                + name
                + "'; there are "
                + String.join(", ", NAMES));
      }
    }
  }

  private Node node() throws ServletException {
    List<Path> rules = new ArrayList<>();
    for (String path : list("rules")) {
      rules.add(file(path));
    }
    if (rules.isEmpty()) {
      throw new ServletException(
          "filter "
              + config.getFilterName()
              + ": the init parameter 'rules' is missing; write the"
              + " path of a file or a directory, such as /WEB-INF/rules.yaml");
    }
    String store = text("store");
    Duration timeout = time("store_timeout", Duration.ofMillis(10));
    Integer keys = number("max_keys");
    Node.Builder node =
        Node.builder(RuleSource.of(rules))
            .storeTimeout(timeout)
            .observer(Insights.ofThrottledCallers()); // named in the log of refusals
    if (store != null) {
      node.store(store);
    }
    if (keys != null) {
      node.maxKeys(keys);
    }
    return node.open();
  }

  /** A path below {@code /WEB-INF/} is within the application, any other in the file system. */
  private Path file(String path) throws ServletException {
    if (!path.startsWith(PRIVATE)) {
      return Path.of(path);
    }
    ServletContext context = config.getServletContext();
    String real = context.getRealPath(path);
    if (real == null) {
      throw new ServletException(
          path
              + " is not a file: the application is not unpacked; write the path of a file"
              + " outside");
    }
    return Path.of(real);
  }

  private WeirFilter.Builder filter(Node node) {
    try {
      WeirFilter.Builder filter =
          WeirFilter.builder(node)
              .closesNode()
              .trustedProxies(list("trusted_proxies").stream().map(Network::parse).toList())
              .corsOrigins(list("cors_origins"))
              .headers(style())
              .encodedSlashes(isOn("encoded_slashes"))
              .waiting(word("waiting", Waiting.class, Waiting.THREAD));
      Integer maxHeld = number("most_held");
      return maxHeld == null ? filter : filter.mostHeld(maxHeld);
    } catch (RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private HeaderStyle style() {
    HeaderStyle style =
        HeaderStyle.DEFAULT.with(
            word("reset_unit", HeaderStyle.Reset.class, HeaderStyle.Reset.EPOCH_SECONDS));
    List<String> words = list("headers");
    if (words.isEmpty() || words.equals(List.of("all"))) {
      return style;
    }
    Set<HeaderStyle.Family> families = EnumSet.noneOf(HeaderStyle.Family.class);
    if (!words.equals(List.of("none"))) {
      words.forEach(word -> families.add(constant("headers", HeaderStyle.Family.class, word)));
    }
    return style.with(families);
  }

  private @Nullable String text(String name) {
    String value = config.getInitParameter(name);
    return value == null || value.isBlank() ? null : value.strip();
  }

  private List<String> list(String name) {
    String value = text(name);
    List<String> all = value == null ? List.of() : List.of(value.split("\\s*,\\s*", -1));
    if (value != null && all.contains("")) {
      throw wrong(name, value, "a list without empty items");
    }
    return all;
  }

  private boolean isOn(String name) {
    String value = text(name);
    if (value != null && !value.equals("true") && !value.equals("false")) {
      throw wrong(name, value, "true or false");
    }
    return "true".equals(value);
  }

  private @Nullable Integer number(String name) {
    String value = text(name);
    if (value == null) {
      return null;
    }
    if (!value.matches("\\d{1,9}")) {
      throw wrong(name, value, "a whole number");
    }
    return Integer.valueOf(value);
  }

  private Duration time(String name, Duration otherwise) {
    String value = text(name);
    if (value == null) {
      return otherwise;
    }
    return TIME.parse(value)
        .orElseThrow(() -> wrong(name, value, "a length of time, such as 10ms or 1s"));
  }

  private <E extends Enum<E>> E word(String name, Class<E> among, E otherwise) {
    String value = text(name);
    return value == null ? otherwise : constant(name, among, value);
  }

  private static <E extends Enum<E>> E constant(String name, Class<E> among, String word) {
    List<String> words = new ArrayList<>();
    for (E each : among.getEnumConstants()) {
      String own = each.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (own.equals(word)) {
        return each;
      }
      words.add(own);
    }
    throw wrong(name, word, "one of " + String.join(", ", words));
  }

  private static IllegalArgumentException wrong(String name, String value, String wanted) {
    return new IllegalArgumentException(
        "init parameter '" + name + "': '" + value + "' must be " + wanted);
  }
}
