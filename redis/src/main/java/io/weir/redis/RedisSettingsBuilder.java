package io.weir.redis;

import io.weir.redis.RedisSettings.Login;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Tls;
import io.weir.redis.RedisSettings.Topology;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Mutable settings with their validation. */
final class RedisSettingsBuilder {
  private static final int MAX_CONNECTIONS = 64;
  private static final Duration MAX_LEASE = Duration.ofNanos(LimitCodec.MAX_LEASE_MICROS * 1000);
  private static final Duration MAX_CLOCK_STEP = Duration.ofHours(24);
  private static final Duration SHORTEST_SYNC = Duration.ofMillis(1);
  private static final Duration MAX_SYNC = Duration.ofSeconds(10);
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);

  Topology topology = Topology.SINGLE;
  List<Node> nodes = List.of();
  @Nullable Path socket;
  String master = "";
  int database;
  Login login = Login.NOBODY;
  Login sentinelLogin = Login.NOBODY;
  @Nullable Tls tls;
  String prefix = "weir";
  Duration timeout = Duration.ofMillis(10);
  Duration connectTimeout = Duration.ofSeconds(1);
  Duration refusalMemory = Duration.ofSeconds(1);
  Duration longestLease = Duration.ofSeconds(30);
  Duration sync = Duration.ofMillis(100);
  @Nullable Integer leastNodes;
  @Nullable Path state;
  int connections = 1;
  @Nullable Integer replicas;
  Duration clockStep = Duration.ofHours(1);
  String clientName = "weir";

  /** The settings, if they are consistent. */
  RedisSettings settings() {
    check();
    return new RedisSettings(copy());
  }

  RedisSettingsBuilder copy() {
    RedisSettingsBuilder copy = new RedisSettingsBuilder();
    copy.topology = topology;
    copy.nodes = List.copyOf(nodes);
    copy.socket = socket;
    copy.master = master;
    copy.database = database;
    copy.login = login;
    copy.sentinelLogin = sentinelLogin;
    copy.tls = tls;
    copy.prefix = prefix;
    copy.timeout = timeout;
    copy.connectTimeout = connectTimeout;
    copy.refusalMemory = refusalMemory;
    copy.longestLease = longestLease;
    copy.sync = sync;
    copy.leastNodes = leastNodes;
    copy.state = state;
    copy.connections = connections;
    copy.replicas = replicas;
    copy.clockStep = clockStep;
    copy.clientName = clientName;
    return copy;
  }

  private void check() {
    require(database >= 0, "db " + database + " is negative", "databases count from 0");
    require(
        topology != Topology.CLUSTER || database == 0,
        "db " + database + " in a cluster",
        "a cluster has database 0 only, leave db out");
    require(
        !prefix.isEmpty() && prefix.length() <= 64,
        "prefix '" + prefix + "' has " + prefix.length() + " characters",
        "give 1 to 64");
    require(
        prefix.chars().noneMatch(c -> c <= ' ' || c > '~' || c == '{' || c == '}'),
        "prefix '" + prefix + "' has a brace, a blank or a character beyond ASCII",
        "use letters, digits and - _ . :");
    positive("timeout", timeout);
    positive("connect_timeout", connectTimeout);
    require(
        !refusalMemory.isNegative() && refusalMemory.compareTo(MAX_WAIT) <= 0,
        "refusal_memory " + millis(refusalMemory) + " is out of range",
        "give 0ms to 60s");
    require(
        !longestLease.isNegative() && longestLease.compareTo(MAX_LEASE) <= 0,
        "lease " + millis(longestLease) + " is out of range",
        "give 0ms to 60s");
    require(
        sync.compareTo(SHORTEST_SYNC) >= 0 && sync.compareTo(MAX_SYNC) <= 0,
        "sync " + millis(sync) + " is out of range",
        "give 1ms to 10s");
    require(
        leastNodes == null || (leastNodes >= 1 && leastNodes <= LocalShare.MAX_NODES),
        "nodes " + leastNodes + " is out of range",
        "give 1 to " + LocalShare.MAX_NODES);
    require(
        connections >= 1 && connections <= MAX_CONNECTIONS,
        "connections " + connections + " is out of range",
        "give 1 to " + MAX_CONNECTIONS);
    require(
        replicas == null || (replicas >= 0 && replicas <= 64),
        "replicas " + replicas + " is out of range",
        "give 0 to 64");
    require(
        !clockStep.isNegative() && clockStep.compareTo(MAX_CLOCK_STEP) <= 0,
        "clock_step " + millis(clockStep) + " is out of range",
        "give 0s to 24h");
    require(
        !clientName.isEmpty() && clientName.chars().noneMatch(c -> c <= ' ' || c > '~'),
        "client_name '" + clientName + "' is empty, or has a blank or a character beyond ASCII",
        "use letters, digits and - _ . :");
    if (tls != null) {
      require(
          (tls.certificate() == null) == (tls.key() == null),
          tls.key() == null ? "cert without key" : "key without cert",
          "a client certificate needs both");
      require(
          tls.keyPassword().isEmpty() || tls.key() != null,
          "key_password without key",
          "name the key");
    }
  }

  private static void positive(String name, Duration duration) {
    require(
        !duration.isNegative() && !duration.isZero() && duration.compareTo(MAX_WAIT) <= 0,
        name + " " + millis(duration) + " is out of range",
        "give more than 0 and at most 60s");
  }

  private static String millis(Duration duration) {
    return duration.getSeconds() > Integer.MAX_VALUE
        ? duration.toString()
        : duration.toMillis() + "ms";
  }

  private static void require(boolean holds, String cause, String fix) {
    if (!holds) {
      throw new IllegalArgumentException(cause + "; " + fix);
    }
  }

  List<@Nullable Object> parts() {
    return Arrays.asList(
        topology,
        nodes,
        socket,
        master,
        database,
        login,
        sentinelLogin,
        tls,
        prefix,
        timeout,
        connectTimeout,
        refusalMemory,
        longestLease,
        sync,
        leastNodes,
        state,
        connections,
        replicas,
        clockStep,
        clientName);
  }
}
