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
    Snapshot first = Snapshot.of(adminClient, viewState.query(Screen.rules(0)));
    try (Terminal terminal = Terminal.open()) {
      if (terminal == null) {
        return false;
      }
      try (NodePoller nodePoller = NodePoller.start(adminClient, first, terminal::wake)) {
        KeyPress keyPress = KeyPress.NEWS;
        while (keyPress != KeyPress.QUIT) {
          CallerChange confirmed =
              apply(keyPress, nodePoller.snapshot(), Screen.rules(terminal.height()));
          if (confirmed != null) {
            nodePoller.change(confirmed);
          } else if (keyPress != null
              && keyPress != KeyPress.NEWS
              && keyPress != KeyPress.RESIZED) {
            nodePoller.clearNote();
          }
          nodePoller.want(viewState.query(Screen.rules(terminal.height())));
          terminal.draw(
              Screen.of(
                  nodePoller.snapshot(),
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
  private @Nullable CallerChange apply(@Nullable KeyPress keyPress, Snapshot snapshot, int rules) {
    CallerChange pending = viewState.change;
    if (pending != null) {
      viewState.change =
          keyPress == null || isPassive(keyPress) ? pending : afterKey(pending, keyPress);
      return keyPress == KeyPress.ENTER ? pending : null;
    }
    long all = snapshot.overview().at("rules.matching").number();
    switch (keyPress == null ? KeyPress.RESIZED : keyPress) {
      case SORT -> viewState.nextSort();
      case UP -> point(-1, snapshot, rules, all);
      case DOWN -> point(1, snapshot, rules, all);
      case LEFT -> viewState.range(-1);
      case RIGHT -> viewState.range(1);
      case RULE, ENTER -> viewState.rule = viewState.rule == null ? chosenRule(snapshot) : null;
      case TAB -> viewState.nextFocus();
      case RESET, GRANT -> viewState.change = change(snapshot, keyPress == KeyPress.GRANT);
      case BACK -> viewState.rule = viewState.leaveCallers() ? viewState.rule : null;
      case NEWS -> viewState.point(0, rules, all); // there may be fewer rules now
      case RESIZED, QUIT -> {}
    }
    return null;
  }

  private static boolean isPassive(KeyPress keyPress) {
    return keyPress == KeyPress.NEWS || keyPress == KeyPress.RESIZED;
  }

  /** The pending change after that key; null: none is pending. */
  private static @Nullable CallerChange afterKey(CallerChange pending, KeyPress keyPress) {
    return switch (keyPress) {
      case UP -> pending.isGrant() ? pending.more(1) : pending;
      case DOWN -> pending.isGrant() ? pending.more(-1) : pending;
      default -> null;
    };
  }

  private void point(int step, Snapshot snapshot, int rules, long all) {
    if (viewState.focus() == ViewState.Focus.RULES) {
      viewState.point(step, rules, all);
    } else {
      viewState.pointCaller(step, snapshot.callers(viewState.focus()).size());
    }
  }

  private @Nullable CallerChange change(Snapshot snapshot, boolean isGrant) {
    ListedCaller caller = chosenCaller(snapshot);
    if (caller == null) {
      return null;
    }
    return isGrant ? CallerChange.grant(caller) : CallerChange.reset(caller);
  }

  private @Nullable ListedCaller chosenCaller(Snapshot snapshot) {
    List<JsonValue> callers = snapshot.callers(viewState.focus());
    int place = viewState.callerPlace(viewState.focus(), callers.size());
    return place < 0 ? null : ListedCaller.of(callers.get(place));
  }

  private @Nullable String chosenRule(Snapshot snapshot) {
    ListedCaller caller = chosenCaller(snapshot);
    return caller == null ? pointedAt(snapshot) : caller.rule();
  }

  private @Nullable String pointedAt(Snapshot snapshot) {
    List<JsonValue> items = snapshot.overview().at("rules.items").items();
    int place = viewState.pointedAt() - snapshot.snapshotQuery().offset();
    return place >= 0 && place < items.size() ? items.get(place).at("rule").raw() : null;
  }
}
