package io.weir.server;

import io.weir.RateLimiter;
import io.weir.rules.envoy.DescriptorMode;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.match.Network;
import io.weir.server.access.AccessSettings;
import io.weir.server.connection.CertificateFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * All settings of a server. Immutable; {@code toString} shows no secrets.
 *
 * @param rules files and directories; none: the demonstration's rules
 * @param forwarding the upstreams, and how the gateway forwards to them
 * @param store the URL of the store
 * @param storeTimeout the timeout of a decision by the store
 * @param data the directory for data that outlives a restart; empty: none is kept
 * @param maxKeys how many keys each rule keeps apart in this process
 * @param bind the address that gateway and service listen on
 * @param gateway the gateway's port; 0: any free port
 * @param gatewayTls empty: the gateway's port is plain text
 * @param service the service port and its access rules
 * @param admin the admin port and its access rules
 * @param health the port for health probes only; empty: there is none
 * @param trustedProxies proxies with trusted forwarding headers
 * @param headers which rate limit headers responses have
 * @param envoy how descriptors are decided
 * @param edge bounds of incoming connections
 * @param drain the timeout for open requests when the server stops
 * @param logs the format of log lines; applied by the command
 * @param level the lowest level that is logged; applied by the command
 * @param access the access log
 */
public record ServerSettings(
    List<Path> rules,
    Forwarding forwarding,
    String store,
    Duration storeTimeout,
    Optional<Path> data,
    long maxKeys,
    String bind,
    int gateway,
    Optional<Tls> gatewayTls,
    ServicePort service,
    AdminPort admin,
    OptionalInt health,
    List<Network> trustedProxies,
    HeaderStyle headers,
    Envoy envoy,
    Edge edge,
    Duration drain,
    LogFormat logs,
    LogLevel level,
    AccessSettings access) {
  /** The settings of the demonstration, on loopback. */
  public static final ServerSettings DEMO =
      new ServerSettings(
          List.of(),
          Forwarding.DEFAULT,
          "memory",
          Duration.ofMillis(10),
          Optional.empty(),
          RateLimiter.DEFAULT_MAX_KEYS,
          "127.0.0.1",
          8080,
          Optional.empty(),
          new ServicePort(8081, Optional.empty(), Optional.empty(), List.of()),
          new AdminPort("127.0.0.1", 8082, Optional.empty()),
          OptionalInt.empty(),
          List.of(),
          HeaderStyle.DEFAULT,
          new Envoy(DescriptorMode.DEFAULT, false),
          new Edge(10_000, 25, false, false),
          Duration.ofSeconds(10),
          LogFormat.TEXT,
          LogLevel.INFO,
          AccessSettings.OFF);

  /** Copies the lists. */
  public ServerSettings {
    rules = List.copyOf(rules);
    trustedProxies = List.copyOf(trustedProxies);
  }

  /** A builder that starts from the demonstration's settings. */
  public static ServerSettingsBuilder builder() {
    return new ServerSettingsBuilder(DEMO);
  }

  /** A builder that starts from these settings. */
  public ServerSettingsBuilder toBuilder() {
    return new ServerSettingsBuilder(this);
  }

  /** The same settings with free ports. */
  public ServerSettings onFreePorts() {
    return toBuilder().gatewayPort(0).servicePort(0).adminPort(0).build();
  }

  /** Leaves out the store's URL, which may have a password in it. */
  @Override
  public String toString() {
    return "Settings[rules=%s, upstreams=%d, routes=%d, bind=%s, gateway=%d, service=%s, admin=%s]"
        .formatted(
            rules,
            forwarding.upstreams().size(),
            forwarding.routes().size(),
            bind,
            gateway,
            service,
            admin);
  }

  /**
   * The service port.
   *
   * @param token the bearer token that callers must send
   * @param tls empty: plain text
   * @param trustedPeers peers besides loopback with trusted {@code X-Original-*} and {@code
   *     X-Forwarded-*} headers at {@code /v1/auth}
   */
  public record ServicePort(
      int port, Optional<Secret> token, Optional<Tls> tls, List<Network> trustedPeers) {
    /** Copies the list. */
    public ServicePort {
      trustedPeers = List.copyOf(trustedPeers);
    }

    /** Whether every caller has shown a token or a certificate. */
    public boolean knowsCallers() {
      return token.isPresent() || tls.flatMap(Tls::clientCa).isPresent();
    }
  }

  /** The admin port. */
  public record AdminPort(String bind, int port, Optional<Secret> token) {}

  /**
   * A certificate with its key; both are reloaded when the files change.
   *
   * @param clientCa the authority of the certificates that clients must have; empty: they need none
   */
  public record Tls(Path certificate, Path key, Optional<Path> clientCa) {
    CertificateFiles files() {
      return new CertificateFiles(certificate, key, clientCa);
    }
  }

  /**
   * How Envoy's requests are decided.
   *
   * @param metadata whether responses have dynamic metadata
   */
  public record Envoy(DescriptorMode mode, boolean metadata) {}

  /**
   * The bounds of incoming connections.
   *
   * @param maxConnections the most connections to a port at a time
   * @param unfinishedShare how many of them may be connections of one address without complete
   *     request headers, in percent
   * @param proxyProtocol whether each connection to the gateway begins with the PROXY protocol
   * @param encodedSlashes whether {@code %2F} is allowed in a path: as part of a name, not as a
   *     separator
   */
  public record Edge(
      int maxConnections, int unfinishedShare, boolean proxyProtocol, boolean encodedSlashes) {}

  /** A text that {@code toString} does not show. */
  public record Secret(String value) {
    @Override
    public String toString() {
      return "***";
    }
  }
}
