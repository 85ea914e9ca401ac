package io.weir.redis;

import io.weir.redis.RedisFailure.Kind;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An error reply from Redis, {@code CODE text}, and its meaning for Weir.
 *
 * <p>An error of a command inside a script is wrapped. Redis 7 keeps the code in front and appends
 * where it happened: {@code OOM command not allowed … script: 6b1b…, on @user_script:1.} Redis 6.2
 * puts the code at the end: {@code ERR Error running script (call to f_6b1b…): @user_script:1:
 * @user_script: 1: -OOM command not allowed …}. An error thrown by the script itself is at the end
 * in both. So the code is searched in front, then after each colon.
 *
 * @param text the line that Redis sent, without the leading dash
 */
record ErrorReply(String text) {
  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("READONLY", Kind.READ_ONLY),
          Map.entry("LOADING", Kind.LOADING),
          Map.entry("MASTERDOWN", Kind.LOADING),
          Map.entry("BUSY", Kind.BUSY),
          Map.entry("OOM", Kind.OUT_OF_MEMORY),
          Map.entry("NOAUTH", Kind.FORBIDDEN),
          Map.entry("WRONGPASS", Kind.FORBIDDEN),
          Map.entry("NOPERM", Kind.FORBIDDEN),
          Map.entry("DENIED", Kind.FORBIDDEN),
          Map.entry("CLUSTERDOWN", Kind.CLUSTER_DOWN),
          Map.entry("TRYAGAIN", Kind.CLUSTER_DOWN),
          Map.entry("MOVED", Kind.CLUSTER_DOWN),
          Map.entry("ASK", Kind.CLUSTER_DOWN),
          Map.entry("WEIRFORMAT", Kind.NEWER_FORMAT),
          Map.entry("WRONGTYPE", Kind.FOREIGN));

  /** Whether the first word is {@code code}: NOSCRIPT, MOVED and so on. */
  boolean is(String code) {
    return text.startsWith(code)
        && (text.length() == code.length() || text.charAt(code.length()) == ' ');
  }

  RedisFailure redisFailure() {
    return new RedisFailure(kind(), text);
  }

  /**
   * Whether Redis has certainly done nothing. Scripts read everything before they write, so a known
   * kind of error came before the first write; for others that is unknown. A missing permission is
   * an exception: it is reported only when the command runs, and others may have written before.
   */
  boolean isUntouched() {
    return switch (kind()) {
      case OTHER -> is("NOSCRIPT");
      case FORBIDDEN -> !text.contains("user_script");
      default -> true;
    };
  }

  private Kind kind() {
    Kind inFront = kindAt(0);
    if (inFront != null) {
      return inFront;
    }
    for (int colon = text.indexOf(": "); colon >= 0; colon = text.indexOf(": ", colon + 1)) {
      int at = colon + 2;
      Kind behind = kindAt(at < text.length() && text.charAt(at) == '-' ? at + 1 : at);
      if (behind != null) {
        return behind;
      }
    }
    if (text.contains("can't run this command")
        || text.contains("can't access at least one of the keys")
        || text.startsWith("ERR AUTH ")
        || text.startsWith("ERR Client sent AUTH")
        || text.startsWith("ERR invalid password")) {
      return Kind.FORBIDDEN;
    }
    return Kind.OTHER;
  }

  private @Nullable Kind kindAt(int start) {
    int end = start;
    while (end < text.length() && text.charAt(end) >= 'A' && text.charAt(end) <= 'Z') {
      end++;
    }
    return KINDS.get(text.substring(start, end));
  }
}
