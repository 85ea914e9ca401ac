package io.weir.cli;

import io.weir.logs.Entry;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.server.Build;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The log line that reports to programs what is active from now on; it shows no secrets. */
final class StartLine {
  private final Settings settings;
  private final Server server;
  private final Banner banner;

  StartLine(Settings settings, Server server, Banner banner) {
    this.settings = settings;
    this.server = server;
    this.banner = banner;
  }

  Entry entry() {
    Map<Policy.Mode, Integer> modes = new EnumMap<>(Policy.Mode.class);
    List<Rule> rules =
        server.rules().domains().stream().flatMap(each -> each.allRules().stream()).toList();
    rules.forEach(rule -> modes.merge(rule.policy().mode(), 1, Integer::sum));
    Entry entry =
        Entry.of("started: weir " + Build.version() + ", " + rules.size() + " rules")
            .with("version", Build.version())
            .with("rules", rules.size());
    modes.forEach((mode, count) -> entry.with("rules_" + mode, count));
    banner.health().ifPresent(url -> entry.with("health", url));
    return entry
        .with("store", server.store().name())
        .with("store_timeout_ms", settings.storeTimeout().toMillis())
        .with("gateway", banner.gateway())
        .with("service", banner.service())
        .with("admin", banner.admin())
        .with("trusted_proxies", settings.trustedProxies())
        .with("tls", tls())
        .with("tokens", tokens())
        .with("max_keys", settings.maxKeys())
        .with("max_connections", settings.edge().maxConnections());
  }

  private List<String> tls() {
    List<String> ports = new ArrayList<>();
    settings.gatewayTls().ifPresent(any -> ports.add("gateway"));
    settings
        .service()
        .tls()
        .ifPresent(any -> ports.add(any.clientCa().isPresent() ? "service (mutual)" : "service"));
    return ports;
  }

  private List<String> tokens() {
    List<String> ports = new ArrayList<>();
    settings.service().token().ifPresent(any -> ports.add("service"));
    settings.admin().token().ifPresent(any -> ports.add("admin"));
    return ports;
  }
}
