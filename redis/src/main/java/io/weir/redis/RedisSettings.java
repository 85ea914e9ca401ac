package io.weir.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
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
  static final int MAX_CONNECTIONS = 64;
  private static final int PORT = 6379;
  private static final Duration LONGEST = Duration.ofMinutes(1);

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

    @Override
    public String toString() {
      return "ca=" + ca + " cert=" + certificate + " key=" + key + " verify=" + verify;
    }
  }

  /** Settings while they are being written. */
  static final class Draft {
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
    int leastNodes = 1;
    int connections = 1;
    @Nullable Integer replicas;
    String clientName = "weir";

    RedisSettings settings() {
      return new RedisSettings(this);
    }
  }

  private final Topology topology;
  private final List<Node> nodes;
  private final @Nullable Path socket;
  private final String master;
  private final int database;
  private final Login login;
  private final Login sentinelLogin;
  private final @Nullable Tls tls;
  private final String prefix;
  private final Duration timeout;
  private final Duration connectTimeout;
  private final Duration refusalMemory;
  private final int leastNodes;
  private final int connections;
  private final @Nullable Integer replicas;
  private final String clientName;

  private RedisSettings(Draft draft) {
    topology = draft.topology;
    nodes = List.copyOf(draft.nodes);
    socket = draft.socket;
    master = draft.master;
    database = draft.database;
    login = draft.login;
    sentinelLogin = draft.sentinelLogin;
    tls = draft.tls;
    prefix = draft.prefix;
    timeout = draft.timeout;
    connectTimeout = draft.connectTimeout;
    refusalMemory = draft.refusalMemory;
    leastNodes = draft.leastNodes;
    connections = draft.connections;
    replicas = draft.replicas;
    clientName = draft.clientName;
    check();
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
        !refusalMemory.isNegative() && refusalMemory.compareTo(LONGEST) <= 0,
        "refusal_memory " + millis(refusalMemory) + " is out of range",
        "give 0ms to 60s");
    require(
        leastNodes >= 1 && leastNodes <= LocalShare.MOST_NODES,
        "nodes " + leastNodes + " is out of range",
        "give 1 to " + LocalShare.MOST_NODES);
    require(
        connections >= 1 && connections <= MAX_CONNECTIONS,
        "connections " + connections + " is out of range",
        "give 1 to " + MAX_CONNECTIONS);
    require(
        replicas == null || (replicas >= 0 && replicas <= 64),
        "replicas " + replicas + " is out of range",
        "give 0 to 64");
    require(
        !clientName.isEmpty() && clientName.chars().noneMatch(c -> c <= ' ' || c > '~'),
        "client_name '" + clientName + "' is empty, or has a blank or a character beyond ASCII",
        "use letters, digits and - _ . :");
    if (tls != null) {
      require(
          (tls.certificate == null) == (tls.key == null),
          tls.key == null ? "cert without key" : "key without cert",
          "a client certificate needs both");
      require(
          tls.keyPassword.isEmpty() || tls.key != null, "key_password without key", "name the key");
    }
  }

  private static void positive(String name, Duration duration) {
    require(
        !duration.isNegative() && !duration.isZero() && duration.compareTo(LONGEST) <= 0,
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

  /**
   * The settings that {@code url} tells.
   *
   * <p>Parameters: {@code prefix} of all keys (weir), {@code timeout} of a decision (10ms), {@code
   * connect_timeout} (1s), {@code refusal_memory} (1s), {@code nodes} (1), {@code connections} to
   * each server (1), {@code db}, {@code tls=true}, {@code ca}, {@code cert}, {@code key}, {@code
   * key_password} (PEM files), {@code verify=full|ca|none}, {@code master}, {@code sentinel_user},
   * {@code sentinel_password}, {@code replicas}, {@code client_name}. Write {@code %40} for @,
   * {@code %2F} for / and so on in user, password and parameters.
   *
   * @throws IllegalArgumentException naming the part that is wrong, and what would be right
   */
  public static RedisSettings parse(String url) {
    return RedisUrl.parse(Objects.requireNonNull(url, "url"));
  }

  /** One server at {@code host}. */
  public static RedisSettings of(String host, int port) {
    Draft draft = new Draft();
    draft.nodes = List.of(new Node(host, port));
    return draft.settings();
  }

  Draft draft() {
    Draft draft = new Draft();
    draft.topology = topology;
    draft.nodes = nodes;
    draft.socket = socket;
    draft.master = master;
    draft.database = database;
    draft.login = login;
    draft.sentinelLogin = sentinelLogin;
    draft.tls = tls;
    draft.prefix = prefix;
    draft.timeout = timeout;
    draft.connectTimeout = connectTimeout;
    draft.refusalMemory = refusalMemory;
    draft.leastNodes = leastNodes;
    draft.connections = connections;
    draft.replicas = replicas;
    draft.clientName = clientName;
    return draft;
  }

  /** The same as another user; an empty one is the default user. */
  public RedisSettings withLogin(String user, String password) {
    Draft draft = draft();
    draft.login = new Login(user, password);
    return draft.settings();
  }

  /** The same with another user towards the sentinels. */
  public RedisSettings withSentinelLogin(String user, String password) {
    Draft draft = draft();
    draft.sentinelLogin = new Login(user, password);
    return draft.settings();
  }

  /** The same in another database. */
  public RedisSettings withDatabase(int database) {
    Draft draft = draft();
    draft.database = database;
    return draft.settings();
  }

  /** The same over TLS, checking as {@code verify} says, with the authorities that Java trusts. */
  public RedisSettings withTls(Verify verify) {
    Draft draft = draft();
    Tls was = tlsOrTrust();
    draft.tls = new Tls(was.ca, was.certificate, was.key, was.keyPassword, verify);
    return draft.settings();
  }

  /** The same over TLS with servers whose certificates an authority in the PEM file has signed. */
  public RedisSettings withAuthority(Path ca) {
    Draft draft = draft();
    Tls was = tlsOrTrust();
    draft.tls = new Tls(ca, was.certificate, was.key, was.keyPassword, was.verify);
    return draft.settings();
  }

  /** The same over TLS with a certificate of our own, from PEM files; the key as PKCS #8. */
  public RedisSettings withCertificate(Path certificate, Path key, String keyPassword) {
    Draft draft = draft();
    Tls was = tlsOrTrust();
    draft.tls = new Tls(was.ca, certificate, key, keyPassword, was.verify);
    return draft.settings();
  }

  /** The same with another beginning of all keys. */
  public RedisSettings withPrefix(String prefix) {
    Draft draft = draft();
    draft.prefix = prefix;
    return draft.settings();
  }

  /** The same with another deadline of a decision. */
  public RedisSettings withTimeout(Duration timeout) {
    Draft draft = draft();
    draft.timeout = timeout;
    return draft.settings();
  }

  /** The same with another bound on making a connection. */
  public RedisSettings withConnectTimeout(Duration connectTimeout) {
    Draft draft = draft();
    draft.connectTimeout = connectTimeout;
    return draft.settings();
  }

  /** The same with another bound on how long a refusal is remembered; zero for not at all. */
  public RedisSettings withRefusalMemory(Duration refusalMemory) {
    Draft draft = draft();
    draft.refusalMemory = refusalMemory;
    return draft.settings();
  }

  /** The same with another number of nodes that there are at least. */
  public RedisSettings withLeastNodes(int leastNodes) {
    Draft draft = draft();
    draft.leastNodes = leastNodes;
    return draft.settings();
  }

  /** The same with another number of connections to each server. */
  public RedisSettings withConnections(int connections) {
    Draft draft = draft();
    draft.connections = connections;
    return draft.settings();
  }

  /** The same with the number of replicas that each primary has. */
  public RedisSettings withReplicas(int replicas) {
    Draft draft = draft();
    draft.replicas = replicas;
    return draft.settings();
  }

  /** The same under another name in {@code CLIENT LIST}. */
  public RedisSettings withClientName(String clientName) {
    Draft draft = draft();
    draft.clientName = clientName;
    return draft.settings();
  }

  private Tls tlsOrTrust() {
    if (topology == Topology.SOCKET) {
      throw new IllegalArgumentException("TLS on a Unix socket; leave it out");
    }
    return tls == null ? Tls.PLAIN_TRUST : tls;
  }

  /** What is at the other end. */
  public Topology topology() {
    return topology;
  }

  /** The server, the sentinels, or some nodes of the cluster; empty for a Unix socket. */
  public List<Node> nodes() {
    return nodes;
  }

  /** The Unix socket, if it is one. */
  public Optional<Path> socket() {
    return Optional.ofNullable(socket);
  }

  /** The name by which the sentinels know the primary; empty without sentinels. */
  public String master() {
    return master;
  }

  /** The number of the database. */
  public int database() {
    return database;
  }

  /** Whether connections are encrypted. */
  public boolean isTls() {
    return tls != null;
  }

  /** The beginning of all keys. */
  public String prefix() {
    return prefix;
  }

  /** The deadline of a decision. */
  public Duration timeout() {
    return timeout;
  }

  /** The longest that making a connection may take, greeting included. */
  public Duration connectTimeout() {
    return connectTimeout;
  }

  /**
   * How many nodes share the limits at least, counted or not: matters to {@code on_failure: local}
   * where all start while Redis is away.
   */
  public int leastNodes() {
    return leastNodes;
  }

  /**
   * The most that this process refuses a caller without asking, once Redis has refused it: somebody
   * who gives back on another node is noticed that late.
   */
  public Duration refusalMemory() {
    return refusalMemory;
  }

  /** How many connections there are to each server. */
  public int connections() {
    return connections;
  }

  /** How many replicas each primary has, if told. */
  public OptionalInt replicas() {
    return replicas == null ? OptionalInt.empty() : OptionalInt.of(replicas);
  }

  /** Our name in {@code CLIENT LIST}. */
  public String clientName() {
    return clientName;
  }

  Login login() {
    return login;
  }

  Login sentinelLogin() {
    return sentinelLogin;
  }

  @Nullable Tls tls() {
    return tls;
  }

  private List<@Nullable Object> parts() {
    return java.util.Arrays.asList(
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
        leastNodes,
        connections,
        replicas,
        clientName);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RedisSettings settings && parts().equals(settings.parts());
  }

  @Override
  public int hashCode() {
    return parts().hashCode();
  }

  /** The URL without parameters, and with {@code ***} for the password. */
  @Override
  public String toString() {
    String who = login.equals(Login.NOBODY) ? "" : login + "@";
    String hosts =
        nodes.stream()
            .map(n -> n.port == PORT && topology == Topology.SINGLE ? bare(n) : n.toString())
            .collect(Collectors.joining(","));
    String db = database == 0 ? "" : "/" + database;
    return switch (topology) {
      case SINGLE -> (tls == null ? "redis://" : "rediss://") + who + hosts + db;
      case SOCKET -> "unix://" + who + socket + (database == 0 ? "" : "?db=" + database);
      case SENTINEL ->
          "redis-sentinel://" + who + hosts + db + (tls == null ? "" : "?tls=true") + "#" + master;
      case CLUSTER -> "redis-cluster://" + who + hosts + (tls == null ? "" : "?tls=true");
    };
  }

  private static String bare(Node node) {
    String text = node.toString();
    return text.substring(0, text.lastIndexOf(':'));
  }
}
