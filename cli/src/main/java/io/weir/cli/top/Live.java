package io.weir.cli.top;

import io.weir.cli.node.Node;
import io.weir.cli.node.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The live screen: draws the latest snapshot, and handles each key at once. */
final class Live {
  private static final long TICK_MILLIS = 500;

  private final Node node;
  private final View view;

  Live(Node node, View view) {
    this.node = node;
    this.view = view;
  }

  /**
   * Draws until the user quits.
   *
   * @return false if there is no terminal to draw on
   */
  boolean run() throws InterruptedException {
    // Errors are reported before the terminal is taken.
    Snapshot first = Snapshot.of(node, view.wish(Screen.rules(0)));
    try (Terminal terminal = Terminal.open()) {
      if (terminal == null) {
        return false;
      }
      try (Lookout lookout = Lookout.start(node, first, terminal::wake)) {
        Key key = Key.NEWS;
        while (key != Key.QUIT) {
          CallerChange confirmed = obey(key, lookout.seen(), Screen.rules(terminal.height()));
          if (confirmed != null) {
            lookout.change(confirmed);
          } else if (key != null && key != Key.NEWS && key != Key.RESIZED) {
            lookout.clearNote();
          }
          lookout.want(view.wish(Screen.rules(terminal.height())));
          terminal.draw(
              Screen.of(
                  lookout.seen(), view, lookout.message(), terminal.width(), terminal.height()));
          key = terminal.key(TICK_MILLIS);
        }
      }
      return true;
    }
  }

  /** Returns a change that is confirmed by this key; null: none is. */
  private @Nullable CallerChange obey(@Nullable Key key, Snapshot seen, int rules) {
    CallerChange asked = view.change;
    if (asked != null) {
      view.change = key == null || isPassive(key) ? asked : answered(asked, key);
      return key == Key.ENTER ? asked : null;
    }
    long all = seen.overview().at("rules.matching").number();
    switch (key == null ? Key.RESIZED : key) {
      case SORT -> view.nextSort();
      case UP -> point(-1, seen, rules, all);
      case DOWN -> point(1, seen, rules, all);
      case LEFT -> view.range(-1);
      case RIGHT -> view.range(1);
      case RULE, ENTER -> view.rule = view.rule == null ? chosenRule(seen) : null;
      case TAB -> view.nextFocus();
      case RESET, GRANT -> view.change = change(seen, key == Key.GRANT);
      case BACK -> view.rule = view.leaveCallers() ? view.rule : null;
      case NEWS -> view.point(0, rules, all); // there may be fewer rules now
      case RESIZED, QUIT -> {}
    }
    return null;
  }

  private static boolean isPassive(Key key) {
    return key == Key.NEWS || key == Key.RESIZED;
  }

  /** The pending question after that key; null: none is pending. */
  private static @Nullable CallerChange answered(CallerChange asked, Key key) {
    return switch (key) {
      case UP -> asked.isGrant() ? asked.more(1) : asked;
      case DOWN -> asked.isGrant() ? asked.more(-1) : asked;
      default -> null;
    };
  }

  private void point(int step, Snapshot seen, int rules, long all) {
    if (view.focus() == View.Focus.RULES) {
      view.point(step, rules, all);
    } else {
      view.pointCaller(step, seen.callers(view.focus()).size());
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
    List<Page> callers = seen.callers(view.focus());
    int place = view.callerPlace(view.focus(), callers.size());
    return place < 0 ? null : ListedCaller.of(callers.get(place));
  }

  private @Nullable String chosenRule(Snapshot seen) {
    ListedCaller caller = chosenCaller(seen);
    return caller == null ? pointedAt(seen) : caller.rule();
  }

  private @Nullable String pointedAt(Snapshot seen) {
    List<Page> items = seen.overview().at("rules.items").items();
    int place = view.pointedAt() - seen.wish().offset();
    return place >= 0 && place < items.size() ? items.get(place).at("rule").raw() : null;
  }
}
