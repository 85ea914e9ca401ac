package io.weir.server.admin;

import io.weir.decision.RuleChange;
import io.weir.insight.series.Change;
import io.weir.insight.series.Changes;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.text.Excerpt;
import java.util.List;

/** {@code /v1/changes}: the latest changes of the rules, the newest first. */
final class ChangesEndpoint {
  private static final int MAX_PARTS = 20;
  private static final int MAX_TEXT_CHARS = 300;

  private final Changes changes;

  ChangesEndpoint(Changes changes) {
    this.changes = changes;
  }

  DirectResponse page() {
    JsonWriter page = new JsonWriter().open().open("items", '[');
    changes.newest().forEach(change -> add(page.begin('{'), change));
    return AdminResponses.json(page.end(']').close().toString());
  }

  /** Adds one change to a JSON object that was begun. */
  static JsonWriter add(JsonWriter page, Change change) {
    page.number("time", change.millis()).text("result", change.result().toString());
    page.text("summary", change.summary());
    texts(page, "added", change.added());
    page.open("changed", '[');
    for (RuleChange.Edit edit : change.changed()) {
      page.begin('{').text("rule", edit.rule()).text("before", edit.before());
      page.text("after", edit.after()).open("parts", '[');
      List<RuleChange.Difference> parts = edit.parts();
      for (RuleChange.Difference part : parts.subList(0, Math.min(MAX_PARTS, parts.size()))) {
        page.begin('{').text("what", part.what()).text("before", shown(part.before()));
        page.text("after", shown(part.after())).close();
      }
      page.end(']').number("more", Math.max(0, parts.size() - MAX_PARTS)).close();
    }
    page.end(']');
    texts(page, "removed", change.removed());
    texts(page, "problems", change.problems());
    return page.number("more", change.more()).close();
  }

  private static String shown(String text) {
    return Excerpt.of(text, MAX_TEXT_CHARS);
  }

  private static void texts(JsonWriter page, String name, List<String> texts) {
    page.open(name, '[');
    texts.forEach(page::text);
    page.end(']');
  }
}
