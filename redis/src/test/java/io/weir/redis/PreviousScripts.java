package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scripts of the previous release, which are kept beside the tests, and messages as that
 * release sent them.
 */
final class PreviousScripts {
  /** By the digest of the present script. */
  private static final Map<String, Script> PREVIOUS = new HashMap<>();

  static {
    for (String algorithm :
        List.of("fixed-window", "gcra", "sliding-epochs", "sliding-log", "sliding-window")) {
      add("base", algorithm, "verbs");
      add("base", "sum", algorithm, "verbs");
    }
    add("take", "base", "gcra", "verbs");
    add("reset");
  }

  private PreviousScripts() {}

  private static void add(String... files) {
    String[] previous = Arrays.stream(files).map(file -> "previous/" + file).toArray(String[]::new);
    PREVIOUS.put(digest(Script.of(files)), Script.of(previous));
  }

  private static String digest(Script script) {
    return new String(script.digest(), StandardCharsets.US_ASCII);
  }

  /**
   * {@code message} as the previous release sends it, which knows no argument after the request. It
   * also charges a bucket with at most twice its capacity at once: {@code message} must not ask for
   * more.
   */
  static ScriptMessage asSent(ScriptPlan scriptPlan, ScriptMessage scriptMessage) {
    Script script = PREVIOUS.get(digest(scriptMessage.script()));
    if (script == null) {
      throw new IllegalStateException("no previous release of " + scriptMessage.script());
    }
    int known = Math.min(scriptMessage.args().length, scriptPlan.limits().size() + 1);
    return new ScriptMessage(script, Arrays.copyOf(scriptMessage.args(), known));
  }
}
