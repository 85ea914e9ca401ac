package io.weir.redis;

import io.weir.redis.RedisSettings.Login;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Tls;
import io.weir.redis.RedisSettings.Topology;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses the URL of a Redis store.
 *
 * <p>{@link java.net.URI} does not accept a list of hosts, and its errors show the password. Here,
 * the text before the last {@code @} is never shown. Nor is any other text that may belong to a
 * password with a stray {@code /}, {@code ?} or {@code #}.
 */
final class RedisUrl {
  private static final List<String> PARAMETERS =
      List.of(
          "prefix",
          "timeout",
          "connect_timeout",
          "refusal_memory",
          "lease",
          "sync",
          "nodes",
          "state",
          "connections",
          "db",
          "tls",
          "ca",
          "cert",
          "key",
          "key_password",
          "verify",
          "master",
          "sentinel_user",
          "sentinel_password",
          "replicas",
          "clock_step",
          "client_name");
  private static final List<String> SCHEMES =
      List.of("redis", "rediss", "redis-sentinel", "redis-cluster", "unix");

  private static final String UNTOLD =
      "cannot be read, and what is wrong may be part of a password; write '@', '/', '?', '#' and"
          + " '&' in it as %40, %2F, %3F, %23 and %26";

  private final RedisSettingsBuilder draft = new RedisSettingsBuilder();
  private final Set<String> seen = new HashSet<>();
  private final String scheme;
  private String authority = "";
  private String path = "";
  private String query = "";
  private @Nullable String fragment;
  private boolean mayShowPassword;
  private boolean tlsWanted;
  private boolean tlsRefused;
  private Tls tls = Tls.PLAIN_TRUST;
  private boolean tlsDetailed;

  private RedisUrl(String scheme) {
    this.scheme = scheme;
  }

  static RedisSettings parse(String url) {
    int colon = url.indexOf("://");
    if (colon < 0) {
      throw new IllegalArgumentException(
          "the URL of Redis has no scheme; write redis://host:6379, or rediss, redis-sentinel,"
              + " redis-cluster, unix");
    }
    String scheme = url.substring(0, colon).toLowerCase(Locale.ROOT);
    if (!SCHEMES.contains(scheme)) {
      throw new IllegalArgumentException(
          "unknown scheme"
              + (scheme.matches("[a-z0-9+.-]*") ? " '" + UrlParameters.shown(scheme) + "'" : "")
              + DidYouMean.of(scheme, SCHEMES)
              + "; known are "
              + String.join(", ", SCHEMES));
    }
    RedisUrl parsed = new RedisUrl(scheme);
    try {
      parsed.split(url.substring(colon + 3));
      parsed.parseLogin();
      parsed.where();
      parsed.how();
      return parsed.draft.settings();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          scheme + " URL: " + (parsed.mayShowPassword ? UNTOLD : e.getMessage()));
    }
  }

  private void split(String rest) {
    int hash = rest.indexOf('#');
    if (hash >= 0) {
      fragment = rest.substring(hash + 1);
      rest = rest.substring(0, hash);
    }
    int queryStart = rest.indexOf('?');
    if (queryStart >= 0) {
      query = rest.substring(queryStart + 1);
      rest = rest.substring(0, queryStart);
    }
    int slash = rest.indexOf('/');
    authority = slash < 0 ? rest : rest.substring(0, slash);
    path = slash < 0 ? "" : rest.substring(slash);
    mayShowPassword = !authority.contains("@") && (path + query + fragment).contains("@");
    if (scheme.equals("unix")) {
      // Only a socket URL may have an @ in its path.
      return;
    }
    boolean stray = path.contains("@") || (fragment != null && fragment.contains("@"));
    int equals = query.indexOf('=');
    stray |= query.lastIndexOf('@', equals < 0 ? query.length() : equals) >= 0;
    if (stray) {
      throw new IllegalArgumentException(
          "a '/', '?' or '#' stands before the '@'; in user and password write them as"
              + " %2F, %3F and %23");
    }
  }

  private void parseLogin() {
    int at = authority.lastIndexOf('@');
    if (at < 0) {
      return;
    }
    String info = authority.substring(0, at);
    authority = authority.substring(at + 1);
    int colon = info.indexOf(':');
    String user = UrlParameters.decoded("user", colon < 0 ? info : info.substring(0, colon));
    String password = colon < 0 ? "" : UrlParameters.decoded("password", info.substring(colon + 1));
    if (!user.isEmpty() && password.isEmpty()) {
      throw new IllegalArgumentException(
          "a user without a password; write user:password@host, or :password@host for the"
              + " default user");
    }
    if (user.isEmpty() && password.isEmpty()) {
      throw new IllegalArgumentException("an '@' without user and password; leave it out");
    }
    draft.login = new Login(user, password);
  }

  private void where() {
    switch (scheme) {
      case "unix" -> {
        draft.topology = Topology.SOCKET;
        if (!authority.isEmpty()) {
          throw new IllegalArgumentException(
              "something stands where a host would; write three slashes:"
                  + " unix:///run/redis.sock");
        }
        if (path.length() < 2) {
          throw new IllegalArgumentException("no path; write unix:///run/redis.sock");
        }
        draft.socket = UrlParameters.file("path", UrlParameters.decoded("path", path));
      }
      case "redis-sentinel" -> {
        draft.topology = Topology.SENTINEL;
        draft.nodes = nodes(26379);
        database();
      }
      case "redis-cluster" -> {
        draft.topology = Topology.CLUSTER;
        draft.nodes = nodes(6379);
        database();
      }
      default -> {
        draft.nodes = nodes(6379);
        if (draft.nodes.size() > 1) {
          throw new IllegalArgumentException(
              draft.nodes.size()
                  + " hosts; give one, or use redis-cluster:// or redis-sentinel://");
        }
        tlsWanted = scheme.equals("rediss");
        database();
      }
    }
    if (fragment != null) {
      if (draft.topology != Topology.SENTINEL) {
        throw new IllegalArgumentException(
            "'#' names the primary of sentinels only; write %23 if it belongs to a password");
      }
      draft.master = UrlParameters.decoded("master", fragment);
    }
  }

  private List<Node> nodes(int port) {
    List<Node> nodes = new ArrayList<>();
    for (String text : authority.split(",", -1)) {
      nodes.add(node(text, port));
    }
    return nodes;
  }

  private Node node(String text, int port) {
    boolean secret = query.contains("@");
    if (text.isEmpty()) {
      throw new IllegalArgumentException("no host; write " + scheme + "://host:" + port);
    }
    String host = text;
    int end = text.startsWith("[") ? text.indexOf(']') : -1;
    int colon = text.indexOf(':', Math.max(end, 0));
    if (text.startsWith("[")) {
      if (end < 0 || (colon >= 0 && colon != end + 1) || (colon < 0 && end != text.length() - 1)) {
        throw new IllegalArgumentException(
            "host " + UrlParameters.shown(text) + "; write [::1]:6379");
      }
      host = text.substring(1, end);
    } else if (colon >= 0) {
      host = text.substring(0, colon);
      if (text.indexOf(':', colon + 1) >= 0) {
        throw new IllegalArgumentException(
            (secret ? "host with two ':'" : "host '" + UrlParameters.shown(text) + "' with two ':'")
                + "; write an IPv6 address as [::1]:6379, a password as :password@host");
      }
    }
    if (host.isEmpty()) {
      throw new IllegalArgumentException(
          "no host before the ':'; write " + scheme + "://host:" + port);
    }
    if (colon >= 0) {
      String digits = text.substring(colon + 1);
      if (!digits.matches("\\d{1,5}")
          || Integer.parseInt(digits) < 1
          || Integer.parseInt(digits) > 65535) {
        throw new IllegalArgumentException(
            (secret || digits.length() > 5
                    ? "the port"
                    : "port '" + UrlParameters.shown(digits) + "'")
                + " is not a number from 1 to 65535; a password goes before an '@'");
      }
      port = Integer.parseInt(digits);
    }
    return new Node(host, port);
  }

  private void database() {
    String text = path.isEmpty() ? "" : path.substring(1);
    if (!text.isEmpty()) {
      draft.database = UrlParameters.number("database", text);
      seen.add("db");
    }
  }

  private void how() {
    String before = "";
    if (!query.isEmpty()) {
      for (String pair : query.split("&", -1)) {
        if (pair.isEmpty()) {
          continue;
        }
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        if (!PARAMETERS.contains(name)) {
          mayShowPassword |= before.endsWith("_password");
          throw new IllegalArgumentException(
              "unknown parameter '"
                  + UrlParameters.shown(name)
                  + "'"
                  + DidYouMean.of(name, PARAMETERS)
                  + "; known are "
                  + String.join(", ", PARAMETERS));
        }
        if (equals < 0) {
          throw new IllegalArgumentException(
              "parameter " + name + " has no value; write " + name + "=…");
        }
        if (!seen.add(name)) {
          throw new IllegalArgumentException("parameter " + name + " is given twice; keep one");
        }
        set(name, UrlParameters.decoded(name, pair.substring(equals + 1)));
        before = name;
      }
    }
    if (draft.topology == Topology.SENTINEL && draft.master.isEmpty()) {
      throw new IllegalArgumentException(
          "no name of the primary; write it at the end: #mymaster, or ?master=mymaster");
    }
    if (draft.topology == Topology.SOCKET && (tlsWanted || tlsDetailed)) {
      throw new IllegalArgumentException("TLS on a Unix socket; leave its parameters out");
    }
    if (tlsRefused && scheme.equals("rediss")) {
      throw new IllegalArgumentException("rediss is TLS; write redis:// for a plain connection");
    }
    if (tlsDetailed && !tlsWanted) {
      throw new IllegalArgumentException(
          "ca, cert, key and verify are for TLS; write "
              + (scheme.equals("redis") ? "rediss://" : "tls=true")
              + ", or leave them out");
    }
    if (tlsWanted) {
      draft.tls = tls;
    }
  }

  private void set(String name, String value) {
    switch (name) {
      case "prefix" -> draft.prefix = value;
      case "timeout" -> draft.timeout = UrlParameters.duration(name, value);
      case "connect_timeout" -> draft.connectTimeout = UrlParameters.duration(name, value);
      case "nodes" -> draft.leastNodes = UrlParameters.number(name, value);
      case "state" -> draft.state = UrlParameters.file(name, value);
      case "refusal_memory" -> draft.refusalMemory = UrlParameters.duration(name, value);
      case "lease" -> draft.longestLease = UrlParameters.duration(name, value);
      case "sync" -> draft.sync = UrlParameters.duration(name, value);
      case "connections" -> draft.connections = UrlParameters.number(name, value);
      case "db" -> draft.database = UrlParameters.number(name, value);
      case "tls" -> {
        tlsWanted = UrlParameters.flag(name, value);
        tlsRefused = !tlsWanted;
      }
      case "ca" -> tls(tls.withCa(UrlParameters.file(name, value)));
      case "cert" -> tls(tls.withCertificate(UrlParameters.file(name, value)));
      case "key" -> tls(tls.withKey(UrlParameters.file(name, value)));
      case "key_password" -> tls(tls.withKeyPassword(value));
      case "verify" -> tls(tls.withVerify(UrlParameters.verify(value)));
      case "master" -> {
        sentinelsOnly(name);
        if (!draft.master.isEmpty() && !draft.master.equals(value)) {
          throw new IllegalArgumentException(
              "master '"
                  + UrlParameters.shown(value)
                  + "' and #"
                  + UrlParameters.shown(draft.master)
                  + "; keep one");
        }
        draft.master = value;
      }
      case "sentinel_user" -> {
        sentinelsOnly(name);
        draft.sentinelLogin = new Login(value, draft.sentinelLogin.password());
      }
      case "sentinel_password" -> {
        sentinelsOnly(name);
        draft.sentinelLogin = new Login(draft.sentinelLogin.user(), value);
      }
      case "replicas" -> draft.replicas = UrlParameters.number(name, value);
      case "clock_step" -> draft.clockStep = UrlParameters.duration(name, value);
      case "client_name" -> draft.clientName = value;
      default -> throw new AssertionError(name);
    }
  }

  private void tls(Tls detailed) {
    tls = detailed;
    tlsDetailed = true;
  }

  private void sentinelsOnly(String name) {
    if (draft.topology != Topology.SENTINEL) {
      throw new IllegalArgumentException(
          "parameter " + name + " is for redis-sentinel:// only; leave it out");
    }
  }
}
