package io.weir.cli.serve;

import io.weir.redis.RedisSettings;
import io.weir.rules.http.HeaderStyle;
import io.weir.server.LogFormat;
import io.weir.server.LogLevel;
import io.weir.server.ServerSettingsBuilder;
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
      (rawSetting, into) -> into.rules(rawSetting.paths())),
  UPSTREAM(
      "URL,…",
      Kind.LIST,
      "a built-in API that answers 200 to everything",
      "What the gateway stands before: http://, https:// or h2c://; several take turns.",
      (rawSetting, into) -> into.forwarding().upstreams(rawSetting.urls())),
  UPSTREAM_CA(
      "FILE",
      Kind.TEXT,
      "only well-known ones",
      "Authorities to trust for servers besides the well-known ones, PEM.",
      (rawSetting, into) -> into.forwarding().ca(rawSetting.file())),
  UPSTREAM_CONNECTIONS(
      "N",
      Kind.TEXT,
      "256",
      "The most connections to each server; beyond that clients get 503.",
      (rawSetting, into) -> into.forwarding().connections((int) rawSetting.number(1, 65535))),
  UPSTREAM_SHARE_PER_ADDRESS(
      "PERCENT",
      Kind.TEXT,
      "75",
      "How many of those connections one client address may use at once (IPv6: a /64).",
      (rawSetting, into) -> into.forwarding().addressShare((int) rawSetting.number(1, 100))),
  UPSTREAM_SHARE_PER_CONNECTION(
      "PERCENT",
      Kind.TEXT,
      "50",
      "How many of them one HTTP/2 connection of a client may use at once.",
      (rawSetting, into) -> into.forwarding().connectionShare((int) rawSetting.number(1, 100))),
  UPSTREAM_CONNECT_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "3s",
      "The timeout for a connection to a server.",
      (rawSetting, into) ->
          into.forwarding()
              .connectTimeout(rawSetting.duration(Duration.ofMillis(10), Duration.ofMinutes(1)))),
  UPSTREAM_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "30s",
      "The timeout for a server to begin its response after the request.",
      (rawSetting, into) ->
          into.forwarding()
              .responseTimeout(rawSetting.duration(Duration.ofMillis(100), Duration.ofHours(1)))),
  BODY_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "60s",
      "The idle timeout within a body, in either direction.",
      (rawSetting, into) ->
          into.forwarding()
              .bodyTimeout(rawSetting.duration(Duration.ofMillis(100), Duration.ofHours(24)))),
  MIN_BODY_RATE(
      "BYTES",
      Kind.TEXT,
      "240",
      "The minimum rate of a request body in bytes a second, after its first ten seconds.",
      (rawSetting, into) -> into.forwarding().minBodyRate(rawSetting.number(0, 1L << 30))),
  MIN_RESPONSE_RATE(
      "BYTES",
      Kind.TEXT,
      "1024",
      "The minimum rate in bytes a second at which a client must read a response.",
      (rawSetting, into) -> into.forwarding().minResponseRate(rawSetting.number(0, 1L << 30))),
  MAX_BODY(
      "SIZE",
      Kind.TEXT,
      "unlimited",
      "The largest body of a request: 512kb, 10mb, 2gb.",
      (rawSetting, into) -> into.forwarding().maxBody(rawSetting.size())),
  PRESERVE_HOST(
      "true|false",
      Kind.SWITCH,
      "false",
      "Servers get the Host header of the client, not their own.",
      (rawSetting, into) -> into.forwarding().preserveHost(rawSetting.isOn())),
  CORS_ORIGINS(
      "ORIGIN,…",
      Kind.LIST,
      "none",
      "Whose pages may read refusals: https://shop.example, or * for all.",
      (rawSetting, into) -> into.forwarding().corsOrigins(rawSetting.origins())),
  STORE(
      "URL",
      Kind.TEXT,
      "memory",
      "The store of the buckets: memory, or a Redis URL (docs/reference/redis.md).",
      (rawSetting, into) -> into.store(store(rawSetting.text()))),
  STORE_FILE(
      "FILE",
      Kind.TEXT,
      "none",
      "A file that holds the URL of the store, for one with a password in it.",
      (rawSetting, into) -> into.store(store(rawSetting.content().text()))),
  STORE_TIMEOUT(
      "TIME",
      Kind.TEXT,
      "10ms",
      "How long a decision waits for the store; a timeout in the store's URL wins.",
      (rawSetting, into) ->
          into.storeTimeout(rawSetting.duration(Duration.ofMillis(1), Duration.ofMinutes(1)))),
  DATA(
      "DIR",
      Kind.TEXT,
      "weir-data",
      "The directory for data that outlives a restart (the number of nodes), created when needed.",
      (rawSetting, into) -> into.data(rawSetting.directory())),
  MAX_KEYS(
      "N",
      Kind.TEXT,
      "10000000",
      "How many keys with something spent each rule keeps apart in this process.",
      (rawSetting, into) -> into.maxKeys(rawSetting.number(1, 1L << 31))),
  MAX_CONNECTIONS(
      "N",
      Kind.TEXT,
      "10000",
      "The most connections to a port; beyond that the longest idle ones are closed.",
      (rawSetting, into) -> into.maxConnections((int) rawSetting.number(1, 1_000_000))),
  UNFINISHED_SHARE_PER_ADDRESS(
      "PERCENT",
      Kind.TEXT,
      "25",
      "How many of those connections of one address may wait for request headers.",
      (rawSetting, into) -> into.unfinishedShare((int) rawSetting.number(1, 100))),
  BIND(
      "ADDRESS",
      Kind.TEXT,
      "127.0.0.1",
      "The address that gateway and service listen on; 0.0.0.0 or :: for all.",
      (rawSetting, into) -> into.bind(rawSetting.address())),
  GATEWAY_PORT(
      "PORT",
      Kind.TEXT,
      "8080",
      "The gateway's port; 0 takes any free port.",
      (rawSetting, into) -> into.gatewayPort(rawSetting.port())),
  SERVICE_PORT(
      "PORT",
      Kind.TEXT,
      "8081",
      "The service's port, for HTTP and gRPC.",
      (rawSetting, into) -> into.servicePort(rawSetting.port())),
  ADMIN_PORT(
      "PORT",
      Kind.TEXT,
      "8082",
      "The admin port: the dashboard, metrics, health, rules, keys.",
      (rawSetting, into) -> into.adminPort(rawSetting.port())),
  ADMIN_BIND(
      "ADDRESS",
      Kind.TEXT,
      "127.0.0.1",
      "The address that the admin port listens on; off loopback it needs a token.",
      (rawSetting, into) -> into.adminBind(rawSetting.address())),
  HEALTH_PORT(
      "PORT",
      Kind.TEXT,
      "none",
      "A port at --bind for probes: /health/live and /health/ready, without a token.",
      (rawSetting, into) -> into.healthPort(rawSetting.port())),
  ADMIN_TOKEN(
      "TOKEN",
      Kind.SECRET,
      "none",
      "The bearer token of the admin port: Authorization: Bearer TOKEN.",
      (rawSetting, into) -> into.adminToken(rawSetting.secret())),
  ADMIN_TOKEN_FILE(
      "FILE",
      Kind.TEXT,
      "none",
      "A file that holds the admin token; reloaded when it changes.",
      (rawSetting, into) -> into.adminToken(rawSetting.content().secret())),
  SERVICE_TOKEN(
      "TOKEN",
      Kind.SECRET,
      "none",
      "The bearer token of the service: Authorization: Bearer TOKEN.",
      (rawSetting, into) -> into.serviceToken(rawSetting.secret())),
  SERVICE_TOKEN_FILE(
      "FILE",
      Kind.TEXT,
      "none",
      "A file that holds the service token; reloaded when it changes.",
      (rawSetting, into) -> into.serviceToken(rawSetting.content().secret())),
  GATEWAY_TLS_CERT(
      "FILE",
      Kind.TEXT,
      "none: plain text",
      "The gateway's certificate, PEM, with its chain; reloaded when it changes.",
      (rawSetting, into) -> into.gatewayTlsCertificate(rawSetting.file())),
  GATEWAY_TLS_KEY(
      "FILE",
      Kind.TEXT,
      "none",
      "The key of that certificate, PEM.",
      (rawSetting, into) -> into.gatewayTlsKey(rawSetting.file())),
  SERVICE_TLS_CERT(
      "FILE",
      Kind.TEXT,
      "none: plain text",
      "The service's certificate, PEM, with its chain; reloaded when it changes.",
      (rawSetting, into) -> into.tlsCertificate(rawSetting.file())),
  SERVICE_TLS_KEY(
      "FILE",
      Kind.TEXT,
      "none",
      "The key of that certificate, PEM.",
      (rawSetting, into) -> into.tlsKey(rawSetting.file())),
  SERVICE_TLS_CLIENT_CA(
      "FILE",
      Kind.TEXT,
      "none: clients need no certificate",
      "The authority that must have issued the certificates of the service's callers, PEM.",
      (rawSetting, into) -> into.tlsClientCa(rawSetting.file())),
  TRUSTED_PROXIES(
      "CIDR,…",
      Kind.LIST,
      "none, not even loopback",
      "Proxies with forwarding headers that the gateway trusts.",
      (rawSetting, into) -> into.trustedProxies(rawSetting.networks())),
  PROXY_PROTOCOL(
      "true|false",
      Kind.SWITCH,
      "false",
      "Each connection to the gateway begins with the PROXY protocol, sent by a trusted proxy.",
      (rawSetting, into) -> into.proxyProtocol(rawSetting.isOn())),
  ENCODED_SLASHES(
      "true|false",
      Kind.SWITCH,
      "false",
      "Allows %2F in a path, as part of a name; otherwise such requests get 400.",
      (rawSetting, into) -> into.encodedSlashes(rawSetting.isOn())),
  AUTH_TRUSTED_PEERS(
      "CIDR,…",
      Kind.LIST,
      "only loopback",
      "Peers with X-Original-* and X-Forwarded-* headers that /v1/auth trusts.",
      (rawSetting, into) -> into.trustedPeers(rawSetting.networks())),
  HEADERS(
      "FAMILY,…",
      Kind.LIST,
      "all",
      "The rate limit headers of responses: x-ratelimit, ratelimit, retry-after; all; none.",
      (rawSetting, into) -> into.headers(families(rawSetting.words(Words.FAMILIES)))),
  RESET_UNIT(
      "UNIT",
      Kind.TEXT,
      "epoch-seconds",
      "What X-RateLimit-Reset counts: epoch-seconds, epoch-millis, delta-seconds, http-date.",
      (rawSetting, into) -> into.resetUnit(rawSetting.word(Words.UNITS))),
  ENVOY_COUNTING(
      "true|false",
      Kind.SWITCH,
      "false",
      "Counts descriptors exactly as envoyproxy/ratelimit does, including refused ones.",
      (rawSetting, into) -> into.envoyCounting(rawSetting.isOn())),
  ENVOY_QUOTA(
      "true|false",
      Kind.SWITCH,
      "false",
      "All descriptors are in quota mode.",
      (rawSetting, into) -> into.envoyQuota(rawSetting.isOn())),
  ENVOY_SHADOW(
      "true|false",
      Kind.SWITCH,
      "false",
      "No descriptor is refused; responses report what would have been.",
      (rawSetting, into) -> into.envoyShadow(rawSetting.isOn())),
  ENVOY_METADATA(
      "true|false",
      Kind.SWITCH,
      "false",
      "Responses to Envoy have dynamic metadata.",
      (rawSetting, into) -> into.envoyMetadata(rawSetting.isOn())),
  DRAIN(
      "TIME",
      Kind.TEXT,
      "10s",
      "The timeout for open requests after SIGTERM.",
      (rawSetting, into) -> into.drain(rawSetting.duration(Duration.ZERO, Duration.ofHours(1)))),
  LOG_FORMAT(
      "text|json",
      Kind.TEXT,
      "text",
      "The format of log lines, on stderr: text for people, or one JSON object a line.",
      (rawSetting, into) -> into.logs(rawSetting.word(Words.LOGS))),
  LOG_LEVEL(
      "LEVEL",
      Kind.TEXT,
      "info",
      "The lowest level that is logged: debug, info, warn or error.",
      (rawSetting, into) -> into.level(rawSetting.word(Words.LEVELS))),
  ACCESS_LOG(
      "off|stdout|FILE",
      Kind.TEXT,
      "off",
      "Where the access log goes, with a line for each request to the gateway and the service.",
      (rawSetting, into) -> accessLog(rawSetting, into)),
  ACCESS_LOG_FORMAT(
      "FORMAT",
      Kind.TEXT,
      "combined",
      "The format of the access log: combined, common or json.",
      (rawSetting, into) -> into.accessLogFormat(rawSetting.word(Words.ACCESS))),
  ACCESS_LOG_SAMPLE(
      "PERCENT",
      Kind.TEXT,
      "100%",
      "The share of requests in the access log, chosen at random; 0.1% is one in a thousand.",
      (rawSetting, into) -> into.accessLogSample(rawSetting.percent()));

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
  private final BiConsumer<RawSetting, ServerSettingsBuilder> reader;

  Setting(
      String label,
      Kind kind,
      String fallback,
      String description,
      BiConsumer<RawSetting, ServerSettingsBuilder> reader) {
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
  void read(RawSetting rawSetting, ServerSettingsBuilder into) {
    reader.accept(rawSetting, into);
  }

  private static void accessLog(RawSetting rawSetting, ServerSettingsBuilder into) {
    switch (rawSetting.text()) {
      case "off" -> into.accessLog(false, Optional.empty());
      case "stdout" -> into.accessLog(true, Optional.empty());
      default -> into.accessLog(true, Optional.of(rawSetting.output()));
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
