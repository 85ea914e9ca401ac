package io.weir.cli.top;

import io.weir.cli.node.Node;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Looks at a node, once or again and again. */
public final class Watching {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_RULES = 1000;

  private final Node node;
  private final View view;

  /**
   * @param rule the only one to show; null: all
   */
  public Watching(Node node, @Nullable String rule) {
    this.node = node;
    this.view = new View(rule);
  }

  /** Says once what there is. */
  public void once(PrintWriter out) throws InterruptedException {
    Screen.plain(Snapshot.of(node, view, 100), view).forEach(out::println);
  }

  /** Says it as the node does. */
  public void onceAsJson(PrintWriter out) throws InterruptedException {
    Snapshot.of(node, view, 0); // it is what it should be
    node.get("/v1/overview?limit=" + MOST_RULES).ifPresent(out::println);
  }

  /** A line each second, until nobody reads it. */
  public void lines(PrintWriter out) throws InterruptedException {
    String line = Screen.line(Snapshot.of(node, view, 0)); // the first must be had
    while (true) {
      out.println(line);
      out.flush();
      Thread.sleep(1000);
      if (out.checkError()) {
        return;
      }
      try {
        line = Screen.line(Snapshot.of(node, view, 0));
      } catch (Node.UnansweredException e) { // it may be restarted, and is back in a moment
        line = Screen.trouble(e);
      }
    }
  }

  /**
   * Draws until somebody has seen enough.
   *
   * @return false if there is no terminal to draw on
   */
  public boolean draw() throws InterruptedException {
    Snapshot seen = Snapshot.of(node, view, 1); // what cannot be had is told before all is taken
    try (Terminal terminal = Terminal.open()) {
      if (terminal == null) {
        return false;
      }
      boolean isOver = false;
      while (!isOver) {
        int rules = Screen.rules(terminal.height());
        String trouble = "";
        try {
          seen = Snapshot.of(node, view, rules);
        } catch (Node.UnansweredException e) { // what was seen last stays
          trouble = Screen.trouble(e);
        }
        terminal.draw(Screen.of(seen, view, trouble, terminal.width(), terminal.height()));
        isOver = await(terminal, seen, rules);
      }
      return true;
    }
  }

  /** Until it is time to look again; true if it is time to go. */
  private boolean await(Terminal terminal, Snapshot seen, int rules) throws InterruptedException {
    long end = System.nanoTime() + SECOND;
    for (long left = SECOND; left > 0; left = end - System.nanoTime()) {
      Terminal.Key key = terminal.key(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
      if (key == Terminal.Key.QUIT) {
        return true;
      }
      if (key != null && obey(key, seen, rules)) {
        return false;
      }
    }
    return false;
  }

  /** Whether there is something else to show now. */
  private boolean obey(Terminal.Key key, Snapshot seen, int rules) {
    long all = seen.overview().at("rules.matching").number();
    switch (key) {
      case SORT -> view.nextSort();
      case UP -> view.point(-1, rules, all);
      case DOWN -> view.point(1, rules, all);
      case LEFT -> view.range(-1);
      case RIGHT -> view.range(1);
      case RULE -> view.rule = view.rule == null ? pointedAt(seen) : null;
      case RESIZED, QUIT -> {}
    }
    return true;
  }

  private @Nullable String pointedAt(Snapshot seen) {
    var items = seen.overview().at("rules.items").items();
    return view.pointer < items.size() ? items.get(view.pointer).at("rule").raw() : null;
  }
}
