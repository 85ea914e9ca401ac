package io.weir.cli;

import io.weir.Limit;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.server.Build;
import io.weir.server.Forwarding;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.PrintWriter;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** The text that a server prints when it has started; the last line is for programs. */
final class Banner {
  private static final int MAX_RULES = 15;
  private static final int USUAL_ADMIN_PORT = 8082;

  private final ServerSettings serverSettings;
  private final Server server;

  Banner(ServerSettings serverSettings, Server server) {
    this.serverSettings = serverSettings;
    this.server = server;
  }

  void print(PrintWriter out) {
    Columns lines = new Columns();
    boolean hasToken = serverSettings.admin().token().isPresent();
    lines.add(
        "dashboard",
        dashboard(),
        "open it in a browser" + (hasToken ? "; it asks for the token" : ""));
    lines.add("gateway", gateway(), upstreams(serverSettings.forwarding()));
    lines.add("service", service(), "HTTP and gRPC" + access());
    lines.add(
        "admin", admin(), "metrics, health, rules, keys" + (hasToken ? ", with the token" : ""));
    health().ifPresent(url -> lines.add("health", url, "probes, without a token"));
    lines.add("store", store());
    lines.add("bounds", bounds());
    lines.add("rules", source());
    out.println(AnsiStyle.BOLD.on("Weir " + Build.version() + " is up"));
    lines.print(out);
    rules(server.rules(), out);
    out.println("  try        " + AnsiStyle.BOLD.on(attempt()));
    out.println("  watch      " + AnsiStyle.BOLD.on(watch(hasToken)));
    out.println(
        "ready gateway="
            + gateway()
            + " service="
            + service()
            + " admin="
            + admin()
            + health().map(url -> " health=" + url).orElse(""));
    out.flush();
  }

  private static String upstreams(Forwarding forwarding) {
    List<URI> urls = forwarding.upstreams();
    int routes = forwarding.routes().size();
    String first =
        urls.isEmpty()
            ? routes == 0 ? "before a built-in API that answers 200 to everything" : "before "
            : "before " + urls.stream().map(URI::toString).collect(Collectors.joining(", "));
    String more = routes == 1 ? "1 route" : routes + " routes";
    return routes == 0 ? first : urls.isEmpty() ? first + more : first + " and " + more;
  }

  String gateway() {
    return url(
        serverSettings.gatewayTls().isPresent() ? "https" : "http",
        serverSettings.bind(),
        server.gatewayPort());
  }

  String service() {
    String scheme = serverSettings.service().tls().isPresent() ? "https" : "http";
    return url(scheme, serverSettings.bind(), server.servicePort());
  }

  String admin() {
    return url("http", serverSettings.admin().bind(), server.adminPort());
  }

  Optional<String> health() {
    OptionalInt port = server.healthPort();
    return port.isEmpty()
        ? Optional.empty()
        : Optional.of(url("http", serverSettings.bind(), port.getAsInt()));
  }

  /** The dashboard's URL. A wildcard address is replaced, because browsers cannot open it. */
  private String dashboard() {
    String bind = serverSettings.admin().bind();
    boolean isAny = bind.equals("0.0.0.0") || bind.equals("::");
    return url("http", isAny ? "localhost" : bind, server.adminPort()) + "/";
  }

  /** The command that shows the same in the terminal. */
  private String watch(boolean hasToken) {
    boolean isUsual =
        server.adminPort() == USUAL_ADMIN_PORT && serverSettings.admin().bind().equals("127.0.0.1");
    return (hasToken ? "WEIR_ADMIN_TOKEN=… " : "")
        + "weir top"
        + (isUsual ? "" : " --admin " + dashboard());
  }

  private static String url(String scheme, String host, int port) {
    return scheme + "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  private String access() {
    String token = serverSettings.service().token().isPresent() ? ", with the token" : "";
    boolean isMutual =
        serverSettings.service().tls().flatMap(ServerSettings.Tls::clientCa).isPresent();
    return token + (isMutual ? ", with a client certificate" : "");
  }

  /** The store, without passwords, and whether it is available. */
  private String store() {
    String name = server.store().name();
    return server.store().health().isWell()
        ? name
        : name
            + AnsiStyle.RED.on(" is unavailable; until it is back, each rule's on_failure decides");
  }

  private String bounds() {
    String trusted =
        serverSettings.trustedProxies().stream()
            .map(Object::toString)
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%,d keys a rule, %,d connections, trusts the forwarding headers of %s",
        serverSettings.maxKeys(),
        serverSettings.edge().maxConnections(),
        trusted.isEmpty() ? "none" : trusted);
  }

  private String source() {
    return serverSettings.rules().isEmpty()
        ? "of the demonstration; --rules FILE for your own"
        : serverSettings.rules().stream().map(Object::toString).collect(Collectors.joining(", "))
            + ", reloaded when they change";
  }

  private static void rules(RuleSet rules, PrintWriter out) {
    List<Rule> active =
        rules.domains().stream()
            .flatMap(domain -> domain.allRules().stream())
            .filter(rule -> rule.policy().mode() != Policy.Mode.OFF)
            .toList();
    Columns table = new Columns("    ");
    for (Rule rule : active.subList(0, Math.min(MAX_RULES, active.size()))) {
      String per = rule.per().isEmpty() ? "for all" : "per " + String.join(", ", rule.per());
      table.add(rule.name(), limits(rule), per, rule.policy().mode().toString());
    }
    table.print(out);
    if (active.size() > MAX_RULES) {
      out.println("    … and " + (active.size() - MAX_RULES) + " more");
    }
  }

  private static String limits(Rule rule) {
    if (rule.limits().isEmpty()) {
      return "unlimited";
    }
    String text = rule.limits().stream().map(Limit::toString).collect(Collectors.joining(" and "));
    int variants = rule.ruleOverrides().size();
    return text
        + (variants == 0 ? "" : " (" + variants + (variants == 1 ? " override)" : " overrides)"));
  }

  /**
   * A command that sends fifteen quick requests, of which the demonstration's rules refuse some.
   */
  private String attempt() {
    return "curl -s -o /dev/null -w '%{http_code} ' '"
        + gateway()
        + "/hello?[1-15]'; curl -i "
        + gateway()
        + "/hello";
  }
}
