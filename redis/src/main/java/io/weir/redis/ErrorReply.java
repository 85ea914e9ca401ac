package io.weir.redis;

import io.weir.redis.Failure.Kind;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Redis said instead of an answer, {@code CODE text}, and what it means for us.
 *
 * <p>An error that a command raises inside a script comes wrapped. Redis 7 keeps the code in front
 * and appends where it happened: {@code OOM command not allowed … script: 6b1b…, on
 * @user_script:1.} Redis 6.2 puts it behind: {@code ERR Error running script (call to f_6b1b…):
 * @user_script:1: @user_script: 1: -OOM command not allowed …}. What a script throws itself stands
 * behind as well, in both. So the code is looked for in front, then behind each colon.
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

  /** The first word: NOSCRIPT, MOVED and the like. */
  boolean is(String code) {
    return text.startsWith(code)
        && (text.length() == code.length() || text.charAt(code.length()) == ' ');
  }

  Failure failure() {
    return new Failure(kind(), text);
  }

  /**
   * Whether Redis has done nothing. Scripts read everything before they write, so an error that is
   * known by its kind came before the first write; of others nobody knows. But that a command is
   * not permitted is said when its turn comes: others may have written before it.
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
