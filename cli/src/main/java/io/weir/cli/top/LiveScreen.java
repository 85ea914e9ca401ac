package io.weir.cli.top;

import io.weir.cli.node.AdminClient;
import io.weir.cli.node.JsonValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The live screen: draws the latest snapshot, and handles each key at once. */
final class LiveScreen {
  private static final long TICK_MILLIS = 500;

  private final AdminClient adminClient;
  private final ViewState viewState;

  LiveScreen(AdminClient adminClient, ViewState viewState) {
    this.adminClient = adminClient;
    this.viewState = viewState;
  }

  /**
   * Draws until the user quits.
   *
   * @return false if there is no terminal to draw on
   */
  boolean run() throws InterruptedException {
    // Errors are reported before the terminal is taken.
    Snapshot first = Snapshot.of(adminClient, viewState.wish(Screen.rules(0)));
    try (Terminal terminal = Terminal.open()) {
      if (terminal == null) {
        return false;
      }
      try (NodePoller nodePoller = NodePoller.start(adminClient, first, terminal::wake)) {
        KeyPress keyPress = KeyPress.NEWS;
        while (keyPress != KeyPress.QUIT) {
          CallerChange confirmed =
              obey(keyPress, nodePoller.seen(), Screen.rules(terminal.height()));
          if (confirmed != null) {
            nodePoller.change(confirmed);
          } else if (keyPress != null
              && keyPress != KeyPress.NEWS
              && keyPress != KeyPress.RESIZED) {
            nodePoller.clearNote();
          }
          nodePoller.want(viewState.wish(Screen.rules(terminal.height())));
          terminal.draw(
              Screen.of(
                  nodePoller.seen(),
                  viewState,
                  nodePoller.message(),
                  terminal.width(),
                  terminal.height()));
          keyPress = terminal.key(TICK_MILLIS);
        }
      }
      return true;
    }
  }

  /** Returns a change that is confirmed by this key; null: none is. */
  private @Nullable CallerChange obey(@Nullable KeyPress keyPress, Snapshot seen, int rules) {
    CallerChange asked = viewState.change;
    if (asked != null) {
      viewState.change =
          keyPress == null || isPassive(keyPress) ? asked : answered(asked, keyPress);
      return keyPress == KeyPress.ENTER ? asked : null;
    }
    long all = seen.overview().at("rules.matching").number();
    switch (keyPress == null ? KeyPress.RESIZED : keyPress) {
      case SORT -> viewState.nextSort();
      case UP -> point(-1, seen, rules, all);
      case DOWN -> point(1, seen, rules, all);
      case LEFT -> viewState.range(-1);
      case RIGHT -> viewState.range(1);
      case RULE, ENTER -> viewState.rule = viewState.rule == null ? chosenRule(seen) : null;
      case TAB -> viewState.nextFocus();
      case RESET, GRANT -> viewState.change = change(seen, keyPress == KeyPress.GRANT);
      case BACK -> viewState.rule = viewState.leaveCallers() ? viewState.rule : null;
      case NEWS -> viewState.point(0, rules, all); // there may be fewer rules now
      case RESIZED, QUIT -> {}
    }
    return null;
  }

  private static boolean isPassive(KeyPress keyPress) {
    return keyPress == KeyPress.NEWS || keyPress == KeyPress.RESIZED;
  }

  /** The pending question after that key; null: none is pending. */
  private static @Nullable CallerChange answered(CallerChange asked, KeyPress keyPress) {
    return switch (keyPress) {
      case UP -> asked.isGrant() ? asked.more(1) : asked;
      case DOWN -> asked.isGrant() ? asked.more(-1) : asked;
      default -> null;
    };
  }

  private void point(int step, Snapshot seen, int rules, long all) {
    if (viewState.focus() == ViewState.Focus.RULES) {
      viewState.point(step, rules, all);
    } else {
      viewState.pointCaller(step, seen.callers(viewState.focus()).size());
    }
  }

  private @Nullable CallerChange change(Snapshot seen, boolean isGrant) {
    ListedCaller caller = chosenCaller(seen);
    if (caller == null) {
      return null;
    }
    return isGrant ? CallerChange.grant(caller) : CallerChange.reset(caller);
  }

  private @Nullable ListedCaller chosenCaller(Snapshot seen) {
    List<JsonValue> callers = seen.callers(viewState.focus());
    int place = viewState.callerPlace(viewState.focus(), callers.size());
    return place < 0 ? null : ListedCaller.of(callers.get(place));
  }

  private @Nullable String chosenRule(Snapshot seen) {
    ListedCaller caller = chosenCaller(seen);
    return caller == null ? pointedAt(seen) : caller.rule();
  }

  private @Nullable String pointedAt(Snapshot seen) {
    List<JsonValue> items = seen.overview().at("rules.items").items();
    int place = viewState.pointedAt() - seen.snapshotQuery().offset();
    return place >= 0 && place < items.size() ? items.get(place).at("rule").raw() : null;
  }
}
