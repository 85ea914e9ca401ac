package io.weir.redis;

import io.weir.redis.RedisSettings.Draft;
import io.weir.redis.RedisSettings.Login;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Tls;
import io.weir.redis.RedisSettings.Topology;
import io.weir.redis.RedisSettings.Verify;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the URL of a Redis.
 *
 * <p>By hand, because a list of hosts is no host to {@link java.net.URI}, and because its errors
 * show the password. What stands before the last {@code @} is never shown; nor is anything else
 * while it may be part of a password with a stray {@code /}, {@code ?} or {@code #} in it.
 */
final class RedisUrl {
  private static final List<String> PARAMETERS =
      List.of(
          "prefix",
          "timeout",
          "connect_timeout",
          "refusal_memory",
          "nodes",
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
          "client_name");
  private static final List<String> SCHEMES =
      List.of("redis", "rediss", "redis-sentinel", "redis-cluster", "unix");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(us|ms|s|m)");

  private static final String UNTOLD =
      "cannot be read, and what is wrong may be part of a password; write '@', '/', '?', '#' and"
          + " '&' in it as %40, %2F, %3F, %23 and %26";

  private final Draft draft = new Draft();
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
              + (scheme.matches("[a-z0-9+.-]*") ? " '" + shown(scheme) + "'" : "")
              + didYouMean(scheme, SCHEMES)
              + "; known are "
              + String.join(", ", SCHEMES));
    }
    RedisUrl parsed = new RedisUrl(scheme);
    try {
      parsed.split(url.substring(colon + 3));
      parsed.who();
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
    int question = rest.indexOf('?');
    if (question >= 0) {
      query = rest.substring(question + 1);
      rest = rest.substring(0, question);
    }
    int slash = rest.indexOf('/');
    authority = slash < 0 ? rest : rest.substring(0, slash);
    path = slash < 0 ? "" : rest.substring(slash);
    mayShowPassword = !authority.contains("@") && (path + query + fragment).contains("@");
    if (scheme.equals("unix")) {
      // Only here an @ may be in the path.
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

  private void who() {
    int at = authority.lastIndexOf('@');
    if (at < 0) {
      return;
    }
    String info = authority.substring(0, at);
    authority = authority.substring(at + 1);
    int colon = info.indexOf(':');
    String user = decoded("user", colon < 0 ? info : info.substring(0, colon));
    String password = colon < 0 ? "" : decoded("password", info.substring(colon + 1));
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
        draft.socket = file("path", decoded("path", path));
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
      draft.master = decoded("master", fragment);
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
        throw new IllegalArgumentException("host " + shown(text) + "; write [::1]:6379");
      }
      host = text.substring(1, end);
    } else if (colon >= 0) {
      host = text.substring(0, colon);
      if (text.indexOf(':', colon + 1) >= 0) {
        throw new IllegalArgumentException(
            (secret ? "host with two ':'" : "host '" + shown(text) + "' with two ':'")
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
            (secret || digits.length() > 5 ? "the port" : "port '" + shown(digits) + "'")
                + " is not a number from 1 to 65535; a password goes before an '@'");
      }
      port = Integer.parseInt(digits);
    }
    return new Node(host, port);
  }

  private void database() {
    String text = path.isEmpty() ? "" : path.substring(1);
    if (!text.isEmpty()) {
      draft.database = number("database", text);
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
                  + shown(name)
                  + "'"
                  + didYouMean(name, PARAMETERS)
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
        set(name, decoded(name, pair.substring(equals + 1)));
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
      case "timeout" -> draft.timeout = duration(name, value);
      case "connect_timeout" -> draft.connectTimeout = duration(name, value);
      case "nodes" -> draft.leastNodes = number(name, value);
      case "refusal_memory" -> draft.refusalMemory = duration(name, value);
      case "connections" -> draft.connections = number(name, value);
      case "db" -> draft.database = number(name, value);
      case "tls" -> {
        tlsWanted = yes(name, value);
        tlsRefused = !tlsWanted;
      }
      case "ca" ->
          tls(
              new Tls(
                  file(name, value),
                  tls.certificate(),
                  tls.key(),
                  tls.keyPassword(),
                  tls.verify()));
      case "cert" ->
          tls(new Tls(tls.ca(), file(name, value), tls.key(), tls.keyPassword(), tls.verify()));
      case "key" ->
          tls(
              new Tls(
                  tls.ca(), tls.certificate(), file(name, value), tls.keyPassword(), tls.verify()));
      case "key_password" ->
          tls(new Tls(tls.ca(), tls.certificate(), tls.key(), value, tls.verify()));
      case "verify" ->
          tls(new Tls(tls.ca(), tls.certificate(), tls.key(), tls.keyPassword(), verify(value)));
      case "master" -> {
        sentinelsOnly(name);
        if (!draft.master.isEmpty() && !draft.master.equals(value)) {
          throw new IllegalArgumentException(
              "master '" + shown(value) + "' and #" + shown(draft.master) + "; keep one");
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
      case "replicas" -> draft.replicas = number(name, value);
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

  private static Path file(String name, String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException(name + " is empty; name a file");
    }
    try {
      return Path.of(value);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(name + " '" + shown(value) + "' cannot be a file name");
    }
  }

  private static Verify verify(String value) {
    return switch (value) {
      case "full" -> Verify.FULL;
      case "ca" -> Verify.CA;
      case "none" -> Verify.NONE;
      default ->
          throw new IllegalArgumentException(
              "verify '" + shown(value) + "'; write full, ca or none");
    };
  }

  private static boolean yes(String name, String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(name + " '" + shown(value) + "'; write true or false");
    };
  }

  private static int number(String name, String value) {
    if (!value.matches("\\d{1,9}")) {
      throw new IllegalArgumentException(
          name + " '" + shown(value) + "' is not a whole number such as 1");
    }
    return Integer.parseInt(value);
  }

  private static Duration duration(String name, String value) {
    Matcher matcher = DURATION.matcher(value);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          name + " '" + shown(value) + "' is not a duration such as 250ms or 2s");
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "us" -> Duration.ofNanos(count * 1000);
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      default -> Duration.ofMinutes(count);
    };
  }

  /** Percent-decodes; a + stays a +. */
  private static String decoded(String name, String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 3);
    for (int i = 0; i < text.length(); ) {
      if (text.charAt(i) == '%') {
        int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
        int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0) {
          throw new IllegalArgumentException(
              name + " has a '%' without two hexadecimal digits; write %25 for '%'");
        }
        bytes.put((byte) (high << 4 | low));
        i += 3;
      } else {
        int point = text.codePointAt(i);
        bytes.put(Character.toString(point).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(point);
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(name + " is not UTF-8 once its %XX are decoded");
    }
  }

  /** The closest of {@code words}, if at most two letters differ. */
  private static String didYouMean(String word, List<String> words) {
    String closest = "";
    int least = 3;
    for (String candidate : words) {
      int distance = distance(word, candidate);
      if (distance < least) {
        least = distance;
        closest = candidate;
      }
    }
    return closest.isEmpty() ? "" : "; did you mean '" + closest + "'?";
  }

  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 2) {
      return 3;
    }
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[b.length()];
  }

  /** Input as it may stand in one line of an error. */
  private static String shown(String text) {
    String printable = text.replaceAll("\\p{Cntrl}", "?");
    return printable.length() <= 60 ? printable : printable.substring(0, 60) + "…";
  }
}
