package io.weir.cli.serve;

import io.weir.redis.RedisSettings;
import io.weir.rules.http.HeaderStyle;
import io.weir.server.LogFormat;
import io.weir.server.LogLevel;
import io.weir.server.SettingsBuilder;
import io.weir.server.access.AccessFormat;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * All settings, in the order of the help. Each has a flag, an environment variable and a key in
 * {@code weir.yaml}, of the same name.
 */
public enum Setting {
  RULES(
      "FILE_OR_DIR",
      Kind.LIST,
      "rules of a demonstration",
      "Rules, reloaded when they change; may be given several times.",
      (given, into) -> into.rules(given.paths())),
  UPSTREAM(
      "URL,…",
      Kind.LIST,
      "a built-in API that answers 200 to everything",
      "What the gateway stands before: http://, https:// or h2c://; several take turns.",
      (given, into) -> into.forwarding().upstreams(given.urls())),
  UPSTREAM_CA(
      "FILE",
      Kind.TEXT,
      "only well-known ones",
      "Authorities to trust for servers besides the well-known ones, PEM.",
      (given, into) -> into.forwarding().ca(given.file())),
  UPSTREAM_CONNECTIONS(
      "N",
      Kind.TEXT,
      "256",
      "The most connections to each server; beyond that clients get 503.",
      (given, into) -> into.forwarding().connections((int) given.number(1, 65535))),
  UPSTREAM_SHARE_PER_ADDRESS(
      "PERCENT",
      Kind.TEXT,
      "75",
      "How many of those connections one client address may use at once (IPv6: a /64).",
      (given, into) -> into.forwarding().addressShare((int) given.number(1, 100))),
  UPSTREAM_SHARE_PER_CONNECTION(
      "PERCENT",
      Kind.TEXT,
      "50",
      "How many of them one HTTP/2 connection of a client may use at once.",
      (given, into) -> into.forwarding().connectionShare((int) given.number(1, 100))),
  UPSTREAM_CONNECT_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "3s",
      "The timeout for a connection to a server.",
      (given, into) ->
          into.forwarding()
              .connectTimeout(given.duration(Duration.ofMillis(10), Duration.ofMinutes(1)))),
  UPSTREAM_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "30s",
      "The timeout for a server to begin its response after the request.",
      (given, into) ->
          into.forwarding()
              .responseTimeout(given.duration(Duration.ofMillis(100), Duration.ofHours(1)))),
  BODY_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "60s",
      "The idle timeout within a body, in either direction.",
      (given, into) ->
          into.forwarding()
              .bodyTimeout(given.duration(Duration.ofMillis(100), Duration.ofHours(24)))),
  MIN_BODY_RATE(
      "BYTES",
      Kind.TEXT,
      "240",
      "The minimum rate of a request body in bytes a second, after its first ten seconds.",
      (given, into) -> into.forwarding().minBodyRate(given.number(0, 1L << 30))),
  MIN_RESPONSE_RATE(
      "BYTES",
      Kind.TEXT,
      "1024",
      "The minimum rate in bytes a second at which a client must read a response.",
      (given, into) -> into.forwarding().minResponseRate(given.number(0, 1L << 30))),
  MAX_BODY(
      "SIZE",
      Kind.TEXT,
      "unlimited",
      "The largest body of a request: 512kb, 10mb, 2gb.",
      (given, into) -> into.forwarding().maxBody(given.size())),
  PRESERVE_HOST(
      "true|false",
      Kind.SWITCH,
      "false",
      "Servers get the Host header of the client, not their own.",
      (given, into) -> into.forwarding().preserveHost(given.isOn())),
  CORS_ORIGINS(
      "ORIGIN,…",
      Kind.LIST,
      "none",
      "Whose pages may read refusals: https://shop.example, or * for all.",
      (given, into) -> into.forwarding().corsOrigins(given.origins())),
  STORE(
      "URL",
      Kind.TEXT,
      "memory",
      "The store of the buckets: memory, or a Redis URL such as redis://host:6379 (docs/redis.md).",
      (given, into) -> into.store(store(given.text()))),
  STORE_FILE(
      "FILE",
      Kind.TEXT,
      "none",
      "A file that holds the URL of the store, for one with a password in it.",
      (given, into) -> into.store(store(given.content().text()))),
  STORE_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "10ms",
      "How long a decision waits for the store; a timeout in the store's URL wins.",
      (given, into) ->
          into.storeTimeout(given.duration(Duration.ofMillis(1), Duration.ofMinutes(1)))),
  DATA(
      "DIR",
      Kind.TEXT,
      "weir-data",
      "The directory for data that outlives a restart (the number of nodes), created when needed.",
      (given, into) -> into.data(given.directory())),
  MAX_KEYS(
      "N",
      Kind.TEXT,
      "10000000",
      "How many keys with something spent each rule keeps apart in this process.",
      (given, into) -> into.maxKeys(given.number(1, 1L << 31))),
  MAX_CONNECTIONS(
      "N",
      Kind.TEXT,
      "10000",
      "The most connections to a port; beyond that the longest idle ones are closed.",
      (given, into) -> into.maxConnections((int) given.number(1, 1_000_000))),
  UNFINISHED_SHARE_PER_ADDRESS(
      "PERCENT",
      Kind.TEXT,
      "25",
      "How many of those connections of one address may wait for request headers.",
      (given, into) -> into.unfinishedShare((int) given.number(1, 100))),
  BIND(
      "ADDRESS",
      Kind.TEXT,
      "127.0.0.1",
      "The address that gateway and service listen on; 0.0.0.0 or :: for all.",
      (given, into) -> into.bind(given.address())),
  GATEWAY_PORT(
      "PORT",
      Kind.TEXT,
      "8080",
      "The gateway's port; 0 takes any free port.",
      (given, into) -> into.gatewayPort(given.port())),
  SERVICE_PORT(
      "PORT",
      Kind.TEXT,
      "8081",
      "The service's port, for HTTP and gRPC.",
      (given, into) -> into.servicePort(given.port())),
  ADMIN_PORT(
      "PORT",
      Kind.TEXT,
      "8082",
      "The admin port: the dashboard, metrics, health, rules, keys.",
      (given, into) -> into.adminPort(given.port())),
  ADMIN_BIND(
      "ADDRESS",
      Kind.TEXT,
      "127.0.0.1",
      "The address that the admin port listens on; off loopback it needs a token.",
      (given, into) -> into.adminBind(given.address())),
  HEALTH_PORT(
      "PORT",
      Kind.TEXT,
      "none",
      "A port at --bind for probes: /health/live and /health/ready, without a token.",
      (given, into) -> into.healthPort(given.port())),
  ADMIN_TOKEN(
      "TOKEN",
      Kind.SECRET,
      "none",
      "The bearer token of the admin port: Authorization: Bearer TOKEN.",
      (given, into) -> into.adminToken(given.secret())),
  ADMIN_TOKEN_FILE(
      "FILE",
      Kind.TEXT,
      "none",
      "A file that holds the admin token; reloaded when it changes.",
      (given, into) -> into.adminToken(given.content().secret())),
  SERVICE_TOKEN(
      "TOKEN",
      Kind.SECRET,
      "none",
      "The bearer token of the service: Authorization: Bearer TOKEN.",
      (given, into) -> into.serviceToken(given.secret())),
  SERVICE_TOKEN_FILE(
      "FILE",
      Kind.TEXT,
      "none",
      "A file that holds the service token; reloaded when it changes.",
      (given, into) -> into.serviceToken(given.content().secret())),
  GATEWAY_TLS_CERT(
      "FILE",
      Kind.TEXT,
      "none: plain text",
      "The gateway's certificate, PEM, with its chain; reloaded when it changes.",
      (given, into) -> into.gatewayTlsCertificate(given.file())),
  GATEWAY_TLS_KEY(
      "FILE",
      Kind.TEXT,
      "none",
      "The key of that certificate, PEM.",
      (given, into) -> into.gatewayTlsKey(given.file())),
  SERVICE_TLS_CERT(
      "FILE",
      Kind.TEXT,
      "none: plain text",
      "The service's certificate, PEM, with its chain; reloaded when it changes.",
      (given, into) -> into.tlsCertificate(given.file())),
  SERVICE_TLS_KEY(
      "FILE",
      Kind.TEXT,
      "none",
      "The key of that certificate, PEM.",
      (given, into) -> into.tlsKey(given.file())),
  SERVICE_TLS_CLIENT_CA(
      "FILE",
      Kind.TEXT,
      "none: clients need no certificate",
      "The authority that must have issued the certificates of the service's callers, PEM.",
      (given, into) -> into.tlsClientCa(given.file())),
  TRUSTED_PROXIES(
      "CIDR,…",
      Kind.LIST,
      "none, not even loopback",
      "Proxies with forwarding headers that the gateway trusts.",
      (given, into) -> into.trustedProxies(given.networks())),
  PROXY_PROTOCOL(
      "true|false",
      Kind.SWITCH,
      "false",
      "Each connection to the gateway begins with the PROXY protocol, sent by a trusted proxy.",
      (given, into) -> into.proxyProtocol(given.isOn())),
  ENCODED_SLASHES(
      "true|false",
      Kind.SWITCH,
      "false",
      "Allows %2F in a path, as part of a name; otherwise such requests get 400.",
      (given, into) -> into.encodedSlashes(given.isOn())),
  AUTH_TRUSTED_PEERS(
      "CIDR,…",
      Kind.LIST,
      "only loopback",
      "Peers with X-Original-* and X-Forwarded-* headers that /v1/auth trusts.",
      (given, into) -> into.trustedPeers(given.networks())),
  HEADERS(
      "FAMILY,…",
      Kind.LIST,
      "all",
      "The rate limit headers of responses: x-ratelimit, ratelimit, retry-after; all; none.",
      (given, into) -> into.headers(families(given.words(Words.FAMILIES)))),
  RESET_UNIT(
      "UNIT",
      Kind.TEXT,
      "epoch-seconds",
      "What X-RateLimit-Reset counts: epoch-seconds, epoch-millis, delta-seconds, http-date.",
      (given, into) -> into.resetUnit(given.word(Words.UNITS))),
  ENVOY_COUNTING(
      "true|false",
      Kind.SWITCH,
      "false",
      "Counts descriptors exactly as envoyproxy/ratelimit does, including refused ones.",
      (given, into) -> into.envoyCounting(given.isOn())),
  ENVOY_QUOTA(
      "true|false",
      Kind.SWITCH,
      "false",
      "All descriptors are in quota mode.",
      (given, into) -> into.envoyQuota(given.isOn())),
  ENVOY_SHADOW(
      "true|false",
      Kind.SWITCH,
      "false",
      "No descriptor is refused; responses report what would have been.",
      (given, into) -> into.envoyShadow(given.isOn())),
  ENVOY_METADATA(
      "true|false",
      Kind.SWITCH,
      "false",
      "Responses to Envoy have dynamic metadata.",
      (given, into) -> into.envoyMetadata(given.isOn())),
  DRAIN(
      "TIME",
      Kind.TEXT,
      "10s",
      "The timeout for open requests after SIGTERM.",
      (given, into) -> into.drain(given.duration(Duration.ZERO, Duration.ofHours(1)))),
  LOG_FORMAT(
      "text|json",
      Kind.TEXT,
      "text",
      "The format of log lines, on stderr: text for people, or one JSON object a line.",
      (given, into) -> into.logs(given.word(Words.LOGS))),
  LOG_LEVEL(
      "LEVEL",
      Kind.TEXT,
      "info",
      "The lowest level that is logged: debug, info, warn or error.",
      (given, into) -> into.level(given.word(Words.LEVELS))),
  ACCESS_LOG(
      "off|stdout|FILE",
      Kind.TEXT,
      "off",
      "Where the access log goes, with a line for each request to the gateway and the service.",
      (given, into) -> accessLog(given, into)),
  ACCESS_LOG_FORMAT(
      "FORMAT",
      Kind.TEXT,
      "combined",
      "The format of the access log: combined, common or json.",
      (given, into) -> into.accessLogFormat(given.word(Words.ACCESS))),
  ACCESS_LOG_SAMPLE(
      "PERCENT",
      Kind.TEXT,
      "100%",
      "The share of requests in the access log, chosen at random; 0.1% is one in a thousand.",
      (given, into) -> into.accessLogSample(given.percent()));

  /** How its values are written. */
  public enum Kind {
    /** One value. */
    TEXT,
    /** Several values, separated by commas or as a list. */
    LIST,
    /** True or false; the flag alone is true. */
    SWITCH,
    /** One value that is never shown. */
    SECRET
  }

  private final String label;
  private final Kind kind;
  private final String fallback;
  private final String description;
  private final BiConsumer<Given, SettingsBuilder> reader;

  Setting(
      String label,
      Kind kind,
      String fallback,
      String description,
      BiConsumer<Given, SettingsBuilder> reader) {
    this.label = label;
    this.kind = kind;
    this.fallback = fallback;
    this.description = description;
    this.reader = reader;
  }

  /** The setting of a key in {@code weir.yaml}. */
  static Optional<Setting> ofKey(String key) {
    return Arrays.stream(values()).filter(setting -> setting.key().equals(key)).findFirst();
  }

  /** The setting for a file with the value of this one; only secrets have one. */
  Optional<Setting> file() {
    return ofKey(key() + "_file");
  }

  /** Whether it is the file of another setting's value. */
  boolean isFileOfAnother() {
    return this == STORE_FILE || this == ADMIN_TOKEN_FILE || this == SERVICE_TOKEN_FILE;
  }

  /**
   * Whether a running server can apply another value. A token can be replaced by another, but
   * whether one is required is fixed at the start.
   */
  boolean isLive() {
    return switch (this) {
      case RULES,
          ADMIN_TOKEN,
          SERVICE_TOKEN,
          MAX_CONNECTIONS,
          UNFINISHED_SHARE_PER_ADDRESS,
          DRAIN,
          LOG_LEVEL,
          ACCESS_LOG_SAMPLE ->
          true;
      default -> false;
    };
  }

  /** {@code admin_port}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** {@code --admin-port}. */
  public String flag() {
    return "--" + key().replace('_', '-');
  }

  /** {@code WEIR_ADMIN_PORT}. */
  public String variable() {
    return "WEIR_" + name();
  }

  /** The placeholder for its value in the help. */
  public String label() {
    return label;
  }

  /** How its values are written. */
  public Kind kind() {
    return kind;
  }

  /** The default, in words. */
  public String fallback() {
    return fallback;
  }

  /** A sentence that describes it. */
  public String description() {
    return description;
  }

  /**
   * Parses the value and sets it.
   *
   * @throws IllegalArgumentException if the value is invalid
   */
  void read(Given given, SettingsBuilder into) {
    reader.accept(given, into);
  }

  private static void accessLog(Given given, SettingsBuilder into) {
    switch (given.text()) {
      case "off" -> into.accessLog(false, Optional.empty());
      case "stdout" -> into.accessLog(true, Optional.empty());
      default -> into.accessLog(true, Optional.of(given.output()));
    }
  }

  private static String store(String url) {
    if (url.equals("memory")) {
      return url;
    }
    if (url.equals("cluster") || url.startsWith("cluster:")) {
      throw new IllegalArgumentException("cluster: comes later; use memory or redis://host:6379");
    }
    try {
      RedisSettings.parse(url); // for its error messages, which show no password
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          url.contains("://") ? e.getMessage() : "is no store; write memory or redis://host:6379",
          e);
    }
    return url;
  }

  private static Set<HeaderStyle.Family> families(List<Set<HeaderStyle.Family>> chosen) {
    Set<HeaderStyle.Family> families = EnumSet.noneOf(HeaderStyle.Family.class);
    chosen.forEach(families::addAll);
    return families;
  }

  /**
   * Words and their values; in a class of their own, because enum constants are initialized first.
   */
  private static final class Words {
    static final Map<String, Set<HeaderStyle.Family>> FAMILIES = new LinkedHashMap<>();
    static final Map<String, HeaderStyle.Reset> UNITS = new LinkedHashMap<>();
    static final Map<String, LogFormat> LOGS = new LinkedHashMap<>();
    static final Map<String, LogLevel> LEVELS = new LinkedHashMap<>();
    static final Map<String, AccessFormat> ACCESS = new LinkedHashMap<>();

    static {
      for (HeaderStyle.Family family : HeaderStyle.Family.values()) {
        FAMILIES.put(word(family), Set.of(family));
      }
      FAMILIES.put("all", EnumSet.allOf(HeaderStyle.Family.class));
      FAMILIES.put("none", Set.of());
      for (HeaderStyle.Reset unit : HeaderStyle.Reset.values()) {
        UNITS.put(word(unit), unit);
      }
      for (LogFormat format : LogFormat.values()) {
        LOGS.put(word(format), format);
      }
      for (LogLevel level : LogLevel.values()) {
        LEVELS.put(word(level), level);
      }
      for (AccessFormat format : AccessFormat.values()) {
        ACCESS.put(word(format), format);
      }
    }

    private static String word(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }
}
