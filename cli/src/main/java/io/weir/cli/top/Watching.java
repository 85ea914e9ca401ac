package io.weir.cli.top;

import io.weir.cli.node.Node;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Shows the numbers of a node, once or repeatedly. */
public final class Watching {
  private static final int SOME_RULES = 100;
  private static final int MOST_RULES = 1000; // that a node returns at once

  private final Node node;
  private final View view;

  /**
   * @param rule the only one to show; null: all
   */
  public Watching(Node node, @Nullable String rule) {
    this.node = node;
    this.view = new View(rule);
  }

  /** Prints the numbers once. */
  public void once(PrintWriter out) throws InterruptedException {
    Screen.plain(Snapshot.of(node, view.wish(SOME_RULES)), view).forEach(out::println);
  }

  /** Prints them once as JSON. */
  public void onceAsJson(PrintWriter out) throws InterruptedException {
    out.println(Report.of(Snapshot.of(node, view.wish(MOST_RULES))));
  }

  /** Prints a line each second, until the output is closed. */
  public void lines(PrintWriter out) throws InterruptedException {
    String line = Screen.line(look()); // a failure of the first request is reported
    while (true) {
      out.println(line);
      out.flush();
      Thread.sleep(1000);
      if (out.checkError()) {
        return;
      }
      try {
        line = Screen.line(look());
      } catch (Node.UnansweredException e) { // it may be restarting, and is back in a moment
        line = Screen.trouble(e);
      }
    }
  }

  private Snapshot look() throws InterruptedException {
    return Snapshot.of(node, view.wish(1));
  }

  /**
   * Draws until the user quits.
   *
   * @return false if there is no terminal to draw on
   */
  public boolean draw() throws InterruptedException {
    return new Live(node, view).run();
  }
}
