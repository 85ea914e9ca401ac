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
 * All that can be set about a Redis: where it is, who we are there, and how long we wait for it.
 *
 * <pre>
 * redis://[user[:password]@]host[:6379][/db]
 * rediss://…                                          the same over TLS
 * redis-sentinel://[user:password@]h1[:26379],h2/[db]#MASTER
 * redis-cluster://[user:password@]h1[:6379],h2[:6379]
 * unix:///path/to/redis.sock
 * </pre>
 *
 * with parameters such as {@code ?timeout=5ms&prefix=shop}; see {@link #parse}. Immutable; neither
 * {@link #toString} nor any error shows a password.
 */
public final class RedisSettings {
  private static final int PORT = 6379;

  /** What is at the other end. */
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

  /** What is checked of a server's certificate. */
  public enum Verify {
    /** Who signed it, and that it is of this host. */
    FULL,
    /** Who signed it. */
    CA,
    /** Nothing: anybody could be the server. */
    NONE
  }

  /** A server's address. */
  public record Node(String host, int port) {
    /** Refuses an empty host and a port that cannot be. */
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
   * Who we are.
   *
   * @param user empty for the default user
   * @param password empty for none
   */
  record Login(String user, String password) {
    static final Login NOBODY = new Login("", "");

    @Override
    public String toString() {
      return password.isEmpty() ? user : user + ":***";
    }
  }

  /**
   * How the connection is encrypted.
   *
   * @param ca who may have signed the server's certificate; null for those that Java trusts
   * @param certificate ours, if the server asks for one
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

  /** Never changed: whoever writes on writes on a copy. */
  private final RedisDraft values;

  RedisSettings(RedisDraft values) {
    this.values = values;
  }

  /**
   * The settings that {@code url} tells.
   *
   * <p>Parameters: {@code prefix} of all keys (weir), {@code timeout} of a decision (10ms), {@code
   * connect_timeout} (1s), {@code refusal_memory} (1s), {@code lease} (30s), {@code sync} (100ms),
   * {@code nodes}, {@code state}, {@code connections} to each server (1), {@code db}, {@code
   * tls=true}, {@code ca}, {@code cert}, {@code key}, {@code key_password} (PEM files), {@code
   * verify=full|ca|none}, {@code master}, {@code sentinel_user}, {@code sentinel_password}, {@code
   * replicas}, {@code clock_step} (1h), {@code client_name}. Write {@code %40} for @, {@code %2F}
   * for / and so on in user, password and parameters.
   *
   * @throws IllegalArgumentException naming the part that is wrong, and what would be right
   */
  public static RedisSettings parse(String url) {
    return RedisUrl.parse(Objects.requireNonNull(url, "url"));
  }

  /** One server at {@code host}. */
  public static RedisSettings of(String host, int port) {
    RedisDraft draft = new RedisDraft();
    draft.nodes = List.of(new Node(host, port));
    return draft.settings();
  }

  private RedisSettings with(Consumer<RedisDraft> change) {
    RedisDraft draft = values.copy();
    change.accept(draft);
    return draft.settings();
  }

  /** The same as another user; an empty one is the default user. */
  public RedisSettings withLogin(String user, String password) {
    return with(draft -> draft.login = new Login(user, password));
  }

  /** The same with another user towards the sentinels. */
  public RedisSettings withSentinelLogin(String user, String password) {
    return with(draft -> draft.sentinelLogin = new Login(user, password));
  }

  /** The same in another database. */
  public RedisSettings withDatabase(int database) {
    return with(draft -> draft.database = database);
  }

  /** The same over TLS, checking as {@code verify} says, with the authorities that Java trusts. */
  public RedisSettings withTls(Verify verify) {
    return with(draft -> draft.tls = tlsOrTrust().withVerify(verify));
  }

  /** The same over TLS with servers whose certificates an authority in the PEM file has signed. */
  public RedisSettings withAuthority(Path ca) {
    return with(draft -> draft.tls = tlsOrTrust().withCa(ca));
  }

  /** The same over TLS with a certificate of our own, from PEM files; the key as PKCS #8. */
  public RedisSettings withCertificate(Path certificate, Path key, String keyPassword) {
    return with(
        draft ->
            draft.tls =
                tlsOrTrust()
                    .withCertificate(certificate)
                    .withKey(key)
                    .withKeyPassword(keyPassword));
  }

  /** The same with another beginning of all keys. */
  public RedisSettings withPrefix(String prefix) {
    return with(draft -> draft.prefix = prefix);
  }

  /** The same with another deadline of a decision. */
  public RedisSettings withTimeout(Duration timeout) {
    return with(draft -> draft.timeout = timeout);
  }

  /** The same with another bound on making a connection. */
  public RedisSettings withConnectTimeout(Duration connectTimeout) {
    return with(draft -> draft.connectTimeout = connectTimeout);
  }

  /** The same with another bound on how long a refusal is remembered; zero for not at all. */
  public RedisSettings withRefusalMemory(Duration refusalMemory) {
    return with(draft -> draft.refusalMemory = refusalMemory);
  }

  /** The same with another bound on how long permits are leased; zero for not at all. */
  public RedisSettings withLongestLease(Duration longestLease) {
    return with(draft -> draft.longestLease = longestLease);
  }

  /** The same with another pause between two messages of a node about a key. */
  public RedisSettings withSync(Duration sync) {
    return with(draft -> draft.sync = sync);
  }

  /** The same with another number of nodes that there are at least. */
  public RedisSettings withLeastNodes(int leastNodes) {
    return with(draft -> draft.leastNodes = leastNodes);
  }

  /** The same with a file that keeps the number of nodes across restarts. */
  public RedisSettings withState(Path state) {
    return with(draft -> draft.state = state);
  }

  /** The same with another number of connections to each server. */
  public RedisSettings withConnections(int connections) {
    return with(draft -> draft.connections = connections);
  }

  /** The same with the number of replicas that each primary has. */
  public RedisSettings withReplicas(int replicas) {
    return with(draft -> draft.replicas = replicas);
  }

  /** The same under another name in {@code CLIENT LIST}. */
  public RedisSettings withClientName(String clientName) {
    return with(draft -> draft.clientName = clientName);
  }

  private Tls tlsOrTrust() {
    if (values.topology == Topology.SOCKET) {
      throw new IllegalArgumentException("TLS on a Unix socket; leave it out");
    }
    return values.tls == null ? Tls.PLAIN_TRUST : values.tls;
  }

  /** What is at the other end. */
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

  /** The name by which the sentinels know the primary; empty without sentinels. */
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

  /** The beginning of all keys. */
  public String prefix() {
    return values.prefix;
  }

  /** The deadline of a decision. */
  public Duration timeout() {
    return values.timeout;
  }

  /** The longest that making a connection may take, greeting included. */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /**
   * The smallest number of nodes that share the limits, if given. With {@code on_failure: local} it
   * divides the limits where a node starts while Redis is away.
   */
  public OptionalInt leastNodes() {
    return values.leastNodes == null ? OptionalInt.empty() : OptionalInt.of(values.leastNodes);
  }

  /** The file that keeps the number of nodes across restarts, if there is one. */
  public Optional<Path> state() {
    return Optional.ofNullable(values.state);
  }

  /**
   * The most that this process refuses a caller without asking, once Redis has refused it: somebody
   * who gives back on another node is noticed that late.
   */
  public Duration refusalMemory() {
    return values.refusalMemory;
  }

  /**
   * The longest that permits are taken in advance, where limiters are {@link
   * io.weir.Consistency#LEASED}; shorter where a tenth of a limit's period is.
   */
  public Duration longestLease() {
    return values.longestLease;
  }

  /**
   * How often a node tells the others at most what it has granted of a key by itself, where that is
   * told afterwards.
   */
  public Duration sync() {
    return values.sync;
  }

  /** How many connections there are to each server. */
  public int connections() {
    return values.connections;
  }

  /** The same with another {@link #clockStep}. */
  public RedisSettings withClockStep(Duration step) {
    return with(draft -> draft.clockStep = step);
  }

  /**
   * How far the clock of Redis may go forward and back unseen: for so long after its end a bucket
   * of a strict limit is kept.
   */
  public Duration clockStep() {
    return values.clockStep;
  }

  /** How many replicas each primary has, if told. */
  public OptionalInt replicas() {
    return values.replicas == null ? OptionalInt.empty() : OptionalInt.of(values.replicas);
  }

  /** Our name in {@code CLIENT LIST}. */
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
    String who = values.login.equals(Login.NOBODY) ? "" : values.login + "@";
    String hosts =
        values.nodes.stream()
            .map(n -> n.port == PORT && values.topology == Topology.SINGLE ? bare(n) : n.toString())
            .collect(Collectors.joining(","));
    String db = values.database == 0 ? "" : "/" + values.database;
    return switch (values.topology) {
      case SINGLE -> (values.tls == null ? "redis://" : "rediss://") + who + hosts + db;
      case SOCKET ->
          "unix://" + who + values.socket + (values.database == 0 ? "" : "?db=" + values.database);
      case SENTINEL ->
          "redis-sentinel://"
              + who
              + hosts
              + db
              + (values.tls == null ? "" : "?tls=true")
              + "#"
              + values.master;
      case CLUSTER -> "redis-cluster://" + who + hosts + (values.tls == null ? "" : "?tls=true");
    };
  }

  private static String bare(Node node) {
    String text = node.toString();
    return text.substring(0, text.lastIndexOf(':'));
  }
}
