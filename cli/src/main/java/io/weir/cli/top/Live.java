package io.weir.cli.top;

import io.weir.cli.node.Node;
import io.weir.cli.node.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The screen, and who looks at it: draws what there is, and obeys each key at once. */
final class Live {
  private static final long TICK_MILLIS = 500;

  private final Node node;
  private final View view;

  Live(Node node, View view) {
    this.node = node;
    this.view = view;
  }

  /**
   * Draws until somebody has seen enough.
   *
   * @return false if there is no terminal to draw on
   */
  boolean run() throws InterruptedException {
    // What cannot be had is told before the terminal is taken.
    Snapshot first = Snapshot.of(node, view.wish(Screen.rules(0)));
    try (Terminal terminal = Terminal.open()) {
      if (terminal == null) {
        return false;
      }
      try (Lookout lookout = Lookout.start(node, first, terminal::wake)) {
        Key key = Key.NEWS;
        while (key != Key.QUIT) {
          obey(key, lookout.seen(), Screen.rules(terminal.height()));
          lookout.want(view.wish(Screen.rules(terminal.height())));
          terminal.draw(
              Screen.of(
                  lookout.seen(), view, lookout.trouble(), terminal.width(), terminal.height()));
          key = terminal.key(TICK_MILLIS);
        }
      }
      return true;
    }
  }

  private void obey(@Nullable Key key, Snapshot seen, int rules) {
    if (key == null) {
      return;
    }
    long all = seen.overview().at("rules.matching").number();
    switch (key) {
      case SORT -> view.nextSort();
      case UP -> view.point(-1, rules, all);
      case DOWN -> view.point(1, rules, all);
      case LEFT -> view.range(-1);
      case RIGHT -> view.range(1);
      case RULE -> view.rule = view.rule == null ? pointedAt(seen) : null;
      case BACK -> view.rule = null;
      case NEWS -> view.point(0, rules, all); // there may be fewer of them
      case RESIZED, QUIT -> {}
    }
  }

  private @Nullable String pointedAt(Snapshot seen) {
    List<Page> items = seen.overview().at("rules.items").items();
    int place = view.pointedAt() - seen.wish().offset();
    return place >= 0 && place < items.size() ? items.get(place).at("rule").raw() : null;
  }
}
