package io.weir.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a Redis store: address, credentials and timeouts.
 *
 * <pre>
 * redis://[user[:password]@]host[:6379][/db]
 * rediss://…                                          the same over TLS
 * redis-sentinel://[user:password@]h1[:26379],h2/[db]#MASTER
 * redis-cluster://[user:password@]h1[:6379],h2[:6379]
 * unix:///path/to/redis.sock
 * </pre>
 *
 * <p>with parameters such as {@code ?timeout=5ms&prefix=shop}; see {@link #parse}. Immutable;
 * neither {@link #toString} nor any error shows a password.
 */
public final class RedisSettings {
  private static final int PORT = 6379;

  /** The kind of server. */
  public enum Topology {
    /** One server, by its address. */
    SINGLE,
    /** One server on this machine, by its Unix socket. */
    SOCKET,
    /** The primary that sentinels name. */
    SENTINEL,
    /** The shards of a Redis Cluster. */
    CLUSTER
  }

  /** The checks on a server's certificate. */
  public enum Verify {
    /** The signature and the host name. */
    FULL,
    /** Only the signature. */
    CA,
    /** Nothing: any server is accepted. */
    NONE
  }

  /** A server's address. */
  public record Node(String host, int port) {
    /** Rejects an empty host and an invalid port. */
    public Node {
      if (host.isBlank() || host.chars().anyMatch(c -> c <= ' ' || c == '@')) {
        throw new IllegalArgumentException("host '" + host + "' is not a name or an address");
      }
      if (port < 1 || port > 65535) {
        throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
      }
    }

    /** {@code host:port}, with brackets around an IPv6 address. */
    @Override
    public String toString() {
      return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
  }

  /**
   * Credentials.
   *
   * @param user empty for the default user
   * @param password empty for none
   */
  record Login(String user, String password) {
    static final Login NOBODY = new Login("", "");

    // Not equals(NOBODY): on JDK 17 its first call keeps the class loader of an application alive.
    boolean isEmpty() {
      return user.isEmpty() && password.isEmpty();
    }

    @Override
    public String toString() {
      return password.isEmpty() ? user : user + ":***";
    }
  }

  /**
   * The TLS settings.
   *
   * @param ca the accepted authorities; null for those that Java trusts
   * @param certificate the client certificate, if the server requires one
   * @param key its private key
   */
  record Tls(
      @Nullable Path ca,
      @Nullable Path certificate,
      @Nullable Path key,
      String keyPassword,
      Verify verify) {
    static final Tls PLAIN_TRUST = new Tls(null, null, null, "", Verify.FULL);

    Tls withCa(Path changed) {
      return new Tls(changed, certificate, key, keyPassword, verify);
    }

    Tls withCertificate(Path changed) {
      return new Tls(ca, changed, key, keyPassword, verify);
    }

    Tls withKey(Path changed) {
      return new Tls(ca, certificate, changed, keyPassword, verify);
    }

    Tls withKeyPassword(String changed) {
      return new Tls(ca, certificate, key, changed, verify);
    }

    Tls withVerify(Verify changed) {
      return new Tls(ca, certificate, key, keyPassword, changed);
    }

    @Override
    public String toString() {
      return "ca=" + ca + " cert=" + certificate + " key=" + key + " verify=" + verify;
    }
  }

  /** Never modified; changes are made to a copy. */
  private final RedisSettingsBuilder values;

  RedisSettings(RedisSettingsBuilder values) {
    this.values = values;
  }

  /**
   * The settings in {@code url}.
   *
   * <p>Parameters: {@code prefix} of all keys (weir), {@code timeout} of a decision (10ms), {@code
   * connect_timeout} (1s), {@code refusal_memory} (1s), {@code lease} (30s), {@code sync} (100ms),
   * {@code nodes}, {@code state}, {@code connections} to each server (1), {@code db}, {@code
   * tls=true}, {@code ca}, {@code cert}, {@code key}, {@code key_password} (PEM files), {@code
   * verify=full|ca|none}, {@code master}, {@code sentinel_user}, {@code sentinel_password}, {@code
   * replicas}, {@code clock_step} (1h), {@code client_name}. Write {@code %40} for @, {@code %2F}
   * for / and so on in user, password and parameters.
   *
   * @throws IllegalArgumentException naming the invalid part and a correct form
   */
  public static RedisSettings parse(String url) {
    return RedisUrl.parse(Objects.requireNonNull(url, "url"));
  }

  /** One server at {@code host}. */
  public static RedisSettings of(String host, int port) {
    RedisSettingsBuilder draft = new RedisSettingsBuilder();
    draft.nodes = List.of(new Node(host, port));
    return draft.settings();
  }

  private RedisSettings with(Consumer<RedisSettingsBuilder> change) {
    RedisSettingsBuilder draft = values.copy();
    change.accept(draft);
    return draft.settings();
  }

  /** The same settings with other credentials; an empty user is the default user. */
  public RedisSettings withLogin(String user, String password) {
    return with(draft -> draft.login = new Login(user, password));
  }

  /** The same settings with other credentials for the sentinels. */
  public RedisSettings withSentinelLogin(String user, String password) {
    return with(draft -> draft.sentinelLogin = new Login(user, password));
  }

  /** The same settings with another database. */
  public RedisSettings withDatabase(int database) {
    return with(draft -> draft.database = database);
  }

  /** The same settings over TLS, with the checks of {@code verify} and the authorities of Java. */
  public RedisSettings withTls(Verify verify) {
    return with(draft -> draft.tls = tlsOrTrust().withVerify(verify));
  }

  /** The same settings over TLS, with the authority in the PEM file. */
  public RedisSettings withAuthority(Path ca) {
    return with(draft -> draft.tls = tlsOrTrust().withCa(ca));
  }

  /** The same settings over TLS with a client certificate from PEM files; the key as PKCS #8. */
  public RedisSettings withCertificate(Path certificate, Path key, String keyPassword) {
    return with(
        draft ->
            draft.tls =
                tlsOrTrust()
                    .withCertificate(certificate)
                    .withKey(key)
                    .withKeyPassword(keyPassword));
  }

  /** The same settings with another prefix of all keys. */
  public RedisSettings withPrefix(String prefix) {
    return with(draft -> draft.prefix = prefix);
  }

  /** The same settings with another deadline of a decision. */
  public RedisSettings withTimeout(Duration timeout) {
    return with(draft -> draft.timeout = timeout);
  }

  /** The same settings with another connect timeout. */
  public RedisSettings withConnectTimeout(Duration connectTimeout) {
    return with(draft -> draft.connectTimeout = connectTimeout);
  }

  /** The same settings with another maximum time that a refusal is cached; zero for no cache. */
  public RedisSettings withRefusalMemory(Duration refusalMemory) {
    return with(draft -> draft.refusalMemory = refusalMemory);
  }

  /** The same settings with another maximum length of leases; zero for no leases. */
  public RedisSettings withLongestLease(Duration longestLease) {
    return with(draft -> draft.longestLease = longestLease);
  }

  /** The same settings with another interval between messages of a node about a key. */
  public RedisSettings withSync(Duration sync) {
    return with(draft -> draft.sync = sync);
  }

  /** The same settings with another minimum number of nodes. */
  public RedisSettings withLeastNodes(int leastNodes) {
    return with(draft -> draft.leastNodes = leastNodes);
  }

  /** The same settings with a file that stores the number of nodes across restarts. */
  public RedisSettings withState(Path state) {
    return with(draft -> draft.state = state);
  }

  /** The same settings with another number of connections to each server. */
  public RedisSettings withConnections(int connections) {
    return with(draft -> draft.connections = connections);
  }

  /** The same settings with the number of replicas of each primary. */
  public RedisSettings withReplicas(int replicas) {
    return with(draft -> draft.replicas = replicas);
  }

  /** The same settings with another name in {@code CLIENT LIST}. */
  public RedisSettings withClientName(String clientName) {
    return with(draft -> draft.clientName = clientName);
  }

  private Tls tlsOrTrust() {
    if (values.topology == Topology.SOCKET) {
      throw new IllegalArgumentException("TLS on a Unix socket; leave it out");
    }
    return values.tls == null ? Tls.PLAIN_TRUST : values.tls;
  }

  /** The kind of server. */
  public Topology topology() {
    return values.topology;
  }

  /** The server, the sentinels, or some nodes of the cluster; empty for a Unix socket. */
  public List<Node> nodes() {
    return values.nodes;
  }

  /** The Unix socket, if it is one. */
  public Optional<Path> socket() {
    return Optional.ofNullable(values.socket);
  }

  /** The name of the primary for the sentinels; empty without sentinels. */
  public String master() {
    return values.master;
  }

  /** The number of the database. */
  public int database() {
    return values.database;
  }

  /** Whether connections are encrypted. */
  public boolean isTls() {
    return values.tls != null;
  }

  /** The prefix of all keys. */
  public String prefix() {
    return values.prefix;
  }

  /** The deadline of a decision. */
  public Duration timeout() {
    return values.timeout;
  }

  /** The timeout for a new connection, including the handshake. */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /**
   * The minimum number of nodes that share the limits, if configured. With {@code on_failure:
   * local} it divides the limits if a node starts while Redis is away.
   */
  public OptionalInt leastNodes() {
    return values.leastNodes == null ? OptionalInt.empty() : OptionalInt.of(values.leastNodes);
  }

  /** The file that stores the number of nodes across restarts, if configured. */
  public Optional<Path> state() {
    return Optional.ofNullable(values.state);
  }

  /**
   * The maximum time that this process caches a refusal. A refund on another node takes effect here
   * at most that late.
   */
  public Duration refusalMemory() {
    return values.refusalMemory;
  }

  /**
   * The maximum length of leases for {@link io.weir.Consistency#LEASED} limiters; shorter if a
   * tenth of a limit's period is.
   */
  public Duration longestLease() {
    return values.longestLease;
  }

  /**
   * The minimum interval between messages of a node about its local grants for a key, for limiters
   * with eventual consistency.
   */
  public Duration sync() {
    return values.sync;
  }

  /** The number of connections to each server. */
  public int connections() {
    return values.connections;
  }

  /** The same settings with another {@link #clockStep}. */
  public RedisSettings withClockStep(Duration step) {
    return with(draft -> draft.clockStep = step);
  }

  /**
   * The largest undetected step of Redis's clock, forward and back: buckets of strict limits are
   * kept this long after their end.
   */
  public Duration clockStep() {
    return values.clockStep;
  }

  /** The number of replicas of each primary, if configured. */
  public OptionalInt replicas() {
    return values.replicas == null ? OptionalInt.empty() : OptionalInt.of(values.replicas);
  }

  /** The name in {@code CLIENT LIST}. */
  public String clientName() {
    return values.clientName;
  }

  Login login() {
    return values.login;
  }

  Login sentinelLogin() {
    return values.sentinelLogin;
  }

  @Nullable Tls tls() {
    return values.tls;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RedisSettings settings
        && values.parts().equals(settings.values.parts());
  }

  @Override
  public int hashCode() {
    return values.parts().hashCode();
  }

  /** The URL without parameters, and with {@code ***} for the password. */
  @Override
  public String toString() {
    String login = values.login.isEmpty() ? "" : values.login + "@";
    String hosts =
        values.nodes.stream()
            .map(n -> n.port == PORT && values.topology == Topology.SINGLE ? bare(n) : n.toString())
            .collect(Collectors.joining(","));
    String db = values.database == 0 ? "" : "/" + values.database;
    return switch (values.topology) {
      case SINGLE -> (values.tls == null ? "redis://" : "rediss://") + login + hosts + db;
      case SOCKET ->
          "unix://"
              + login
              + values.socket
              + (values.database == 0 ? "" : "?db=" + values.database);
      case SENTINEL ->
          "redis-sentinel://"
              + login
              + hosts
              + db
              + (values.tls == null ? "" : "?tls=true")
              + "#"
              + values.master;
      case CLUSTER -> "redis-cluster://" + login + hosts + (values.tls == null ? "" : "?tls=true");
    };
  }

  private static String bare(Node node) {
    String text = node.toString();
    return text.substring(0, text.lastIndexOf(':'));
  }
}
