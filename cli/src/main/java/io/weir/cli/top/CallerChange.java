package io.weir.cli.top;

import io.weir.cli.node.AdminClient;
import io.weir.cli.node.TerminalSanitizer;

/**
 * A change of one caller's state: first a prompt on the screen, then a request to the node.
 *
 * @param isGrant permits are granted; otherwise the caller is reset
 * @param permits how many are granted
 */
record CallerChange(ListedCaller caller, boolean isGrant, long permits) {
  private static final long MAX_PERMITS = 1_000_000_000;

  static CallerChange reset(ListedCaller caller) {
    return new CallerChange(caller, false, 0);
  }

  static CallerChange grant(ListedCaller caller) {
    return new CallerChange(caller, true, 10);
  }

  /** More or fewer permits: 1, 2, 5, 10, 20, 50 and so on. */
  CallerChange more(int step) {
    boolean isTwo = Long.toString(permits).startsWith("2");
    boolean isFive = Long.toString(permits).startsWith("5");
    long up = isTwo ? permits / 2 * 5 : permits * 2;
    long down = isFive ? permits / 5 * 2 : permits / 2;
    return new CallerChange(
        caller, isGrant, Math.max(1, Math.min(MAX_PERMITS, step > 0 ? up : down)));
  }

  String prompt() {
    String name = name();
    return isGrant
        ? "Grant " + amount() + " to " + name + "?  ↑↓ more or fewer  enter yes  esc no"
        : "Reset " + name + " to full?  enter yes  esc no";
  }

  /** Sends it to the node; returns the result in a line. */
  String apply(AdminClient adminClient) throws InterruptedException {
    String target =
        "?"
            + AdminClient.parameter("rule", caller.rule())
            + "&"
            + AdminClient.parameter("id", caller.id());
    try {
      AdminClient.Response response =
          isGrant
              ? adminClient.send("POST", "/v1/keys/grant" + target + "&permits=" + permits)
              : adminClient.send("DELETE", "/v1/keys" + target);
      if (response.status() != 200) {
        return "Not changed: " + TerminalSanitizer.text(response.message());
      }
      return isGrant ? "Granted " + amount() + " to " + name() : "Reset to full: " + name();
    } catch (AdminClient.NodeUnavailableException e) {
      return "It is not known whether " + name() + " was changed: " + e.getMessage();
    }
  }

  private String amount() {
    return permits == 1 ? "1 permit" : permits + " permits";
  }

  private String name() {
    return TerminalSanitizer.text(caller.rule()) + " " + caller.key() + " (" + caller.id() + ")";
  }
}
