package io.weir.server;

import io.weir.rules.envoy.DescriptorMode;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.match.Network;
import io.weir.server.ServerSettings.AdminPort;
import io.weir.server.ServerSettings.Edge;
import io.weir.server.ServerSettings.Envoy;
import io.weir.server.ServerSettings.Secret;
import io.weir.server.ServerSettings.ServicePort;
import io.weir.server.ServerSettings.Tls;
import io.weir.server.access.AccessFormat;
import io.weir.server.access.AccessSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds {@link ServerSettings}. Each setter replaces one value and leaves the others. Not
 * thread-safe.
 */
public final class ServerSettingsBuilder {
  private List<Path> rules;
  private final ForwardingBuilder forwarding;
  private String store;
  private Duration storeTimeout;
  private Optional<Path> data;
  private long maxKeys;
  private String bind;
  private int gatewayPort;
  private @Nullable Path gatewayTlsCertificate;
  private @Nullable Path gatewayTlsKey;
  private int servicePort;
  private Optional<Secret> serviceToken;
  private @Nullable Path tlsCertificate;
  private @Nullable Path tlsKey;
  private @Nullable Path tlsClientCa;
  private List<Network> trustedPeers;
  private String adminBind;
  private int adminPort;
  private Optional<Secret> adminToken;
  private OptionalInt healthPort;
  private List<Network> trustedProxies;
  private HeaderStyle headers;
  private boolean countsRefused;
  private boolean quota;
  private boolean shadow;
  private boolean metadata;
  private int maxConnections;
  private int unfinishedShare;
  private boolean proxyProtocol;
  private boolean encodedSlashes;
  private Duration drain;
  private LogFormat logs;
  private LogLevel level;
  private AccessSettings access;

  ServerSettingsBuilder(ServerSettings from) {
    rules = from.rules();
    forwarding = new ForwardingBuilder(from.forwarding());
    store = from.store();
    storeTimeout = from.storeTimeout();
    data = from.data();
    maxKeys = from.maxKeys();
    bind = from.bind();
    gatewayPort = from.gateway();
    gatewayTlsCertificate = from.gatewayTls().map(Tls::certificate).orElse(null);
    gatewayTlsKey = from.gatewayTls().map(Tls::key).orElse(null);
    servicePort = from.service().port();
    serviceToken = from.service().token();
    tlsCertificate = from.service().tls().map(Tls::certificate).orElse(null);
    tlsKey = from.service().tls().map(Tls::key).orElse(null);
    tlsClientCa = from.service().tls().flatMap(Tls::clientCa).orElse(null);
    trustedPeers = from.service().trustedPeers();
    adminBind = from.admin().bind();
    adminPort = from.admin().port();
    adminToken = from.admin().token();
    healthPort = from.health();
    trustedProxies = from.trustedProxies();
    headers = from.headers();
    countsRefused = from.envoy().mode().countsRefused();
    quota = from.envoy().mode().quota();
    shadow = from.envoy().mode().shadow();
    metadata = from.envoy().metadata();
    maxConnections = from.edge().maxConnections();
    unfinishedShare = from.edge().unfinishedShare();
    proxyProtocol = from.edge().proxyProtocol();
    encodedSlashes = from.edge().encodedSlashes();
    drain = from.drain();
    logs = from.logs();
    level = from.level();
    access = from.access();
  }

  /** Files and directories of rules. */
  public ServerSettingsBuilder rules(List<Path> paths) {
    rules = paths;
    return this;
  }

  /** The only upstream. */
  public ServerSettingsBuilder upstream(URI url) {
    forwarding.upstreams(List.of(url));
    return this;
  }

  /** The builder of the forwarding settings; values set there become part of these settings. */
  public ForwardingBuilder forwarding() {
    return forwarding;
  }

  /** The URL of the store. */
  public ServerSettingsBuilder store(String url) {
    store = url;
    return this;
  }

  /** The timeout of a decision by the store. */
  public ServerSettingsBuilder storeTimeout(Duration timeout) {
    storeTimeout = timeout;
    return this;
  }

  /** The directory for data that outlives a restart, created when first needed; none by default. */
  public ServerSettingsBuilder data(Path directory) {
    data = Optional.of(directory);
    return this;
  }

  /** How many keys each rule keeps apart in this process. */
  public ServerSettingsBuilder maxKeys(long limit) {
    maxKeys = limit;
    return this;
  }

  /** The most connections to a port at a time. */
  public ServerSettingsBuilder maxConnections(int limit) {
    maxConnections = limit;
    return this;
  }

  /** How many connections of one address may wait without complete request headers, in percent. */
  public ServerSettingsBuilder unfinishedShare(int percent) {
    unfinishedShare = percent;
    return this;
  }

  /** Whether each connection to the gateway begins with the PROXY protocol. */
  public ServerSettingsBuilder proxyProtocol(boolean isSpoken) {
    proxyProtocol = isSpoken;
    return this;
  }

  /** Whether {@code %2F} is allowed in a path. */
  public ServerSettingsBuilder encodedSlashes(boolean mayBe) {
    encodedSlashes = mayBe;
    return this;
  }

  /** The address of gateway and service. */
  public ServerSettingsBuilder bind(String address) {
    bind = address;
    return this;
  }

  /** The gateway's port; 0: any free port. */
  public ServerSettingsBuilder gatewayPort(int port) {
    gatewayPort = port;
    return this;
  }

  /** The certificate of the gateway; with a key, its port uses TLS. */
  public ServerSettingsBuilder gatewayTlsCertificate(Path file) {
    gatewayTlsCertificate = file;
    return this;
  }

  /** The key of the gateway's certificate. */
  public ServerSettingsBuilder gatewayTlsKey(Path file) {
    gatewayTlsKey = file;
    return this;
  }

  /** The service's port; 0: any free port. */
  public ServerSettingsBuilder servicePort(int port) {
    servicePort = port;
    return this;
  }

  /** The bearer token that callers of the service must send. */
  public ServerSettingsBuilder serviceToken(Secret token) {
    serviceToken = Optional.of(token);
    return this;
  }

  /** The certificate of the service; with a key, its port uses TLS. */
  public ServerSettingsBuilder tlsCertificate(Path file) {
    tlsCertificate = file;
    return this;
  }

  /** The key of the service's certificate. */
  public ServerSettingsBuilder tlsKey(Path file) {
    tlsKey = file;
    return this;
  }

  /** The authority of the certificates that callers of the service must have. */
  public ServerSettingsBuilder tlsClientCa(Path file) {
    tlsClientCa = file;
    return this;
  }

  /** Peers besides loopback that {@code /v1/auth} trusts to describe a request. */
  public ServerSettingsBuilder trustedPeers(List<Network> networks) {
    trustedPeers = networks;
    return this;
  }

  /** The address of the admin port. */
  public ServerSettingsBuilder adminBind(String address) {
    adminBind = address;
    return this;
  }

  /** The admin port; 0: any free port. */
  public ServerSettingsBuilder adminPort(int port) {
    adminPort = port;
    return this;
  }

  /** The bearer token that callers of the admin port must send. */
  public ServerSettingsBuilder adminToken(Secret token) {
    adminToken = Optional.of(token);
    return this;
  }

  /** The port for health probes only; 0: any free port. There is none by default. */
  public ServerSettingsBuilder healthPort(int port) {
    healthPort = OptionalInt.of(port);
    return this;
  }

  /** Proxies with trusted forwarding headers. */
  public ServerSettingsBuilder trustedProxies(List<Network> networks) {
    trustedProxies = networks;
    return this;
  }

  /** Which rate limit headers responses have. */
  public ServerSettingsBuilder headers(HeaderStyle style) {
    headers = style;
    return this;
  }

  /** Which families of rate limit headers responses have. */
  public ServerSettingsBuilder headers(Set<HeaderStyle.Family> families) {
    return headers(headers.with(families));
  }

  /** What {@code X-RateLimit-Reset} counts. */
  public ServerSettingsBuilder resetUnit(HeaderStyle.Reset unit) {
    return headers(headers.with(unit));
  }

  /** Whether descriptors are counted exactly as envoyproxy/ratelimit counts them. */
  public ServerSettingsBuilder envoyCounting(boolean isOn) {
    countsRefused = isOn;
    return this;
  }

  /** Whether all descriptors are in quota mode. */
  public ServerSettingsBuilder envoyQuota(boolean isOn) {
    quota = isOn;
    return this;
  }

  /** Whether no descriptor is refused. */
  public ServerSettingsBuilder envoyShadow(boolean isOn) {
    shadow = isOn;
    return this;
  }

  /** Whether responses to Envoy have dynamic metadata. */
  public ServerSettingsBuilder envoyMetadata(boolean isOn) {
    metadata = isOn;
    return this;
  }

  /** The timeout for open requests when the server stops. */
  public ServerSettingsBuilder drain(Duration timeout) {
    drain = timeout;
    return this;
  }

  /** The format of log lines. */
  public ServerSettingsBuilder logs(LogFormat format) {
    logs = format;
    return this;
  }

  /** The lowest level that is logged. */
  public ServerSettingsBuilder level(LogLevel from) {
    level = from;
    return this;
  }

  /** Whether there is an access log, and its file; empty: standard output. */
  public ServerSettingsBuilder accessLog(boolean isOn, Optional<Path> file) {
    access = new AccessSettings(isOn, file, access.format(), access.percent());
    return this;
  }

  /** The format of access log lines. */
  public ServerSettingsBuilder accessLogFormat(AccessFormat format) {
    access = new AccessSettings(access.isOn(), access.file(), format, access.percent());
    return this;
  }

  /** How many requests are written to the access log, in percent. */
  public ServerSettingsBuilder accessLogSample(double percent) {
    access = new AccessSettings(access.isOn(), access.file(), access.format(), percent);
    return this;
  }

  /**
   * Builds the settings.
   *
   * @throws IllegalArgumentException if some of them are inconsistent
   */
  public ServerSettings build() {
    if (proxyProtocol && trustedProxies.isEmpty()) {
      throw new IllegalArgumentException(
          "the PROXY protocol is accepted from trusted proxies only; add them to trusted_proxies");
    }
    return new ServerSettings(
        rules,
        forwarding.build(),
        store,
        storeTimeout,
        data,
        maxKeys,
        bind,
        gatewayPort,
        tls("gateway", gatewayTlsCertificate, gatewayTlsKey, null),
        new ServicePort(
            servicePort,
            serviceToken,
            tls("service", tlsCertificate, tlsKey, tlsClientCa),
            trustedPeers),
        new AdminPort(adminBind, adminPort, adminToken),
        healthPort,
        trustedProxies,
        headers,
        new Envoy(new DescriptorMode(countsRefused, quota, shadow), metadata),
        new Edge(maxConnections, unfinishedShare, proxyProtocol, encodedSlashes),
        drain,
        logs,
        level,
        access);
  }

  private static Optional<Tls> tls(
      String port, @Nullable Path certificate, @Nullable Path key, @Nullable Path clientCa) {
    if (certificate != null && key != null) {
      return Optional.of(new Tls(certificate, key, Optional.ofNullable(clientCa)));
    }
    if (certificate != null || key != null || clientCa != null) {
      throw new IllegalArgumentException(
          "TLS of the " + port + " needs both a certificate and its key");
    }
    return Optional.empty();
  }
}
