package io.weir.cli;

import io.weir.logs.LogEntry;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.server.Build;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The log line that reports to programs what is active from now on; it shows no secrets. */
final class StartupLogEntry {
  private final ServerSettings serverSettings;
  private final Server server;
  private final Banner banner;

  StartupLogEntry(ServerSettings serverSettings, Server server, Banner banner) {
    this.serverSettings = serverSettings;
    this.server = server;
    this.banner = banner;
  }

  LogEntry logEntry() {
    Map<Policy.Mode, Integer> modes = new EnumMap<>(Policy.Mode.class);
    List<Rule> rules =
        server.rules().domains().stream().flatMap(each -> each.allRules().stream()).toList();
    rules.forEach(rule -> modes.merge(rule.policy().mode(), 1, Integer::sum));
    LogEntry logEntry =
        LogEntry.of("started: weir " + Build.version() + ", " + rules.size() + " rules")
            .with("version", Build.version())
            .with("rules", rules.size());
    modes.forEach((mode, count) -> logEntry.with("rules_" + mode, count));
    banner.health().ifPresent(url -> logEntry.with("health", url));
    return logEntry
        .with("store", server.store().name())
        .with("store_timeout_ms", serverSettings.storeTimeout().toMillis())
        .with("gateway", banner.gateway())
        .with("service", banner.service())
        .with("admin", banner.admin())
        .with("trusted_proxies", serverSettings.trustedProxies())
        .with("tls", tls())
        .with("tokens", tokens())
        .with("max_keys", serverSettings.maxKeys())
        .with("max_connections", serverSettings.edge().maxConnections());
  }

  private List<String> tls() {
    List<String> ports = new ArrayList<>();
    serverSettings.gatewayTls().ifPresent(any -> ports.add("gateway"));
    serverSettings
        .service()
        .tls()
        .ifPresent(any -> ports.add(any.clientCa().isPresent() ? "service (mutual)" : "service"));
    return ports;
  }

  private List<String> tokens() {
    List<String> ports = new ArrayList<>();
    serverSettings.service().token().ifPresent(any -> ports.add("service"));
    serverSettings.admin().token().ifPresent(any -> ports.add("admin"));
    return ports;
  }
}
