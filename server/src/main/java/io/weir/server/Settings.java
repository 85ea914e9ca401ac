package io.weir.server;

import io.weir.RateLimiter;
import io.weir.rules.DescriptorMode;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.match.Network;
import io.weir.server.access.AccessSettings;
import io.weir.server.http.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * All that can be set, in one place. Nothing here shows a secret when it is printed.
 *
 * @param rules files and directories; none: the demonstration's
 * @param forwarding what the gateway stands before, and how it forwards
 * @param store the URL of the store
 * @param storeTimeout how long a decision waits for the store
 * @param data the directory of what outlives a restart; empty: nothing does
 * @param maxKeys how many keys each rule keeps apart in this process
 * @param bind the address that gateway and service listen on
 * @param gateway the gateway's port; 0: any that is free
 * @param gatewayTls empty: the gateway's port is in clear
 * @param service the service's port and who may ask
 * @param admin the admin port and who may ask
 * @param health the port that answers probes and nothing else; empty: there is none
 * @param trustedProxies whose forwarding headers the gateway believes
 * @param headers which headers tell of limits
 * @param envoy how descriptors are answered
 * @param edge what the ports take from whoever connects
 * @param drain how long requests under way may take when the server is to stop
 * @param logs how lines of the log are written; the command sees to it
 * @param level which lines are logged; the command sees to it
 * @param access the access log
 */
public record Settings(
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
  /** The demonstration, on loopback. */
  public static final Settings DEMO =
      new Settings(
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
  public Settings {
    rules = List.copyOf(rules);
    trustedProxies = List.copyOf(trustedProxies);
  }

  /** Settings that are the demonstration's but for what is set. */
  public static SettingsBuilder builder() {
    return new SettingsBuilder(DEMO);
  }

  /** These settings, to be changed. */
  public SettingsBuilder toBuilder() {
    return new SettingsBuilder(this);
  }

  /** The same settings with ports that are free. */
  public Settings onFreePorts() {
    return toBuilder().gatewayPort(0).servicePort(0).adminPort(0).build();
  }

  /** Without the store's URL, which may have a password in it. */
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
   * @param token what callers must bring as bearer token
   * @param tls empty: in clear
   * @param trustedPeers whose {@code X-Original-*} and {@code X-Forwarded-*} {@code /v1/auth}
   *     believes besides loopback
   */
  public record ServicePort(
      int port, Optional<Secret> token, Optional<Tls> tls, List<Network> trustedPeers) {
    /** Copies the list. */
    public ServicePort {
      trustedPeers = List.copyOf(trustedPeers);
    }

    /** Whether whoever gets in has shown a token or a certificate. */
    public boolean knowsCallers() {
      return token.isPresent() || tls.flatMap(Tls::clientCa).isPresent();
    }
  }

  /** The admin port. */
  public record AdminPort(String bind, int port, Optional<Secret> token) {}

  /**
   * A certificate with its key, read again when the files change.
   *
   * @param clientCa whose certificates clients must have; empty: they need none
   */
  public record Tls(Path certificate, Path key, Optional<Path> clientCa) {
    TlsFiles files() {
      return new TlsFiles(certificate, key, clientCa);
    }
  }

  /**
   * How Envoy is answered.
   *
   * @param metadata whether answers carry dynamic metadata
   */
  public record Envoy(DescriptorMode mode, boolean metadata) {}

  /**
   * What comes in.
   *
   * @param maxConnections how many may be connected to a port at a time
   * @param unfinishedShare how many of them may be connections of one address that wait for a
   *     request's head, in percent
   * @param proxyProtocol whether each connection to the gateway begins with the PROXY protocol
   * @param encodedSlashes whether {@code %2F} may be in a path: part of a name, and no separator
   */
  public record Edge(
      int maxConnections, int unfinishedShare, boolean proxyProtocol, boolean encodedSlashes) {}

  /** A text that is never printed. */
  public record Secret(String value) {
    @Override
    public String toString() {
      return "***";
    }
  }
}
