package io.weir.server.admin;

import io.weir.arbiter.RuleChange;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Json;
import io.weir.seeing.Change;
import io.weir.seeing.Changes;
import java.util.List;

/** {@code /v1/changes}: the last changes of the rules, the newest first. */
final class ChangesPage {
  private final Changes changes;

  ChangesPage(Changes changes) {
    this.changes = changes;
  }

  Answer page() {
    Json page = new Json().open().open("items", '[');
    changes.newest().forEach(change -> add(page.begin('{'), change));
    return Pages.json(page.end(']').close().toString());
  }

  /** One, as an object that was begun. */
  static Json add(Json page, Change change) {
    page.number("time", change.millis()).text("result", change.result().toString());
    page.text("summary", change.summary());
    texts(page, "added", change.added());
    page.open("changed", '[');
    for (RuleChange.Edit edit : change.changed()) {
      page.begin('{').text("rule", edit.rule()).text("before", edit.before());
      page.text("after", edit.after()).close();
    }
    page.end(']');
    texts(page, "removed", change.removed());
    texts(page, "problems", change.problems());
    return page.number("more", change.more()).close();
  }

  private static void texts(Json page, String name, List<String> texts) {
    page.open(name, '[');
    texts.forEach(page::text);
    page.end(']');
  }
}
