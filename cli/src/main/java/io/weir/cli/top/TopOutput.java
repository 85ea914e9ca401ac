package io.weir.cli.top;

import io.weir.cli.node.AdminClient;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Shows the numbers of a node, once or repeatedly. */
public final class TopOutput {
  private static final int SOME_RULES = 100;
  private static final int MAX_RULES = 1000; // that a node returns at once

  private final AdminClient adminClient;
  private final ViewState viewState;

  /**
   * @param rule the only one to show; null: all
   */
  public TopOutput(AdminClient adminClient, @Nullable String rule) {
    this.adminClient = adminClient;
    this.viewState = new ViewState(rule);
  }

  /** Prints the numbers once. */
  public void once(PrintWriter out) throws InterruptedException {
    Screen.plain(Snapshot.of(adminClient, viewState.query(SOME_RULES)), viewState)
        .forEach(out::println);
  }

  /** Prints them once as JSON. */
  public void onceAsJson(PrintWriter out) throws InterruptedException {
    out.println(SnapshotJson.of(Snapshot.of(adminClient, viewState.query(MAX_RULES))));
  }

  /** Prints a line each second, until the output is closed. */
  public void lines(PrintWriter out) throws InterruptedException {
    String line = Screen.line(fetch()); // a failure of the first request is reported
    while (true) {
      out.println(line);
      out.flush();
      Thread.sleep(1000);
      if (out.checkError()) {
        return;
      }
      try {
        line = Screen.line(fetch());
      } catch (
          AdminClient.NodeUnavailableException e) { // it may be restarting, and is back in a moment
        line = Screen.trouble(e);
      }
    }
  }

  private Snapshot fetch() throws InterruptedException {
    return Snapshot.of(adminClient, viewState.query(1));
  }

  /**
   * Draws until the user quits.
   *
   * @return false if there is no terminal to draw on
   */
  public boolean draw() throws InterruptedException {
    return new LiveScreen(adminClient, viewState).run();
  }
}
