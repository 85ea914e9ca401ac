package io.weir.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.node.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words and numbers of {@code top} are those of the dashboard. */
class ScreenTest {
  private static final String OVERVIEW =
      """
      {"time": 1790000000000, "minute_seconds": 10,
       "node": {"version": "1", "started": 1789999990000, "ready": true, "store": "redis://h"},
       "store": {"state": "%s", "minute": {"calls": 4, "errors": 1, "fallback": 2}},
       "minute": {"requests": 100, "allowed": 50, "denied": 30, "error": 20, "shadow_denied": 40},
       "rules": {"matching": 2, "items": [
         {"rule": "api", "mode": "enforce", "limits": ["5 per hour"], "refused_share": 0.375,
          "minute": {"allowed": 50, "denied": 30}},
         {"rule": "tried", "mode": "shadow", "limits": ["3 per hour"], "refused_share": 0.8,
          "minute": {"allowed": 10, "shadow_denied": 40}}]}}
      """;

  private static Snapshot seen(String state) {
    JsonValue nothing = new JsonValue(null);
    JsonValue overview = JsonValue.of(OVERVIEW.formatted(state));
    return new Snapshot(
        new SnapshotQuery("denied", "5m", null, 0, 9),
        overview,
        nothing,
        nothing,
        nothing,
        nothing);
  }

  @ParameterizedTest
  @CsvSource({"ok, ok", "degraded, degraded", "down, outage"})
  void namesTheStateOfTheStoreInALineToo(String state, String word) {
    assertThat(Screen.line(seen(state))).endsWith("store " + word);
  }

  @Test
  void namesTheOrderOfRulesByTheirColumns() {
    ViewState viewState = new ViewState(null);
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      List<String> screen = Screen.of(seen("ok"), viewState, "", 120, 30);
      keys.add(screen.get(screen.size() - 1).replaceFirst(".* sort: ([^ ]+) .*", "$1"));
      viewState.nextSort();
    }
    assertThat(keys).containsExactly("refused", "allowed", "share", "name");
  }

  @Test
  void countsShadowRefusalAsAllowed() {
    List<String> lines = Screen.plain(seen("ok"), new ViewState(null));
    assertThat(lines)
        .anyMatch(line -> line.matches("api +5\\.0 +3\\.0 .* 5 per hour"))
        .anyMatch(
            line ->
                line.matches("tried +1\\.0 +0 .* shadow, 4\\.0/s would be refused: 3 per hour"));
  }

  @Test
  void countsResponse503AsError() {
    assertThat(Screen.plain(seen("ok"), new ViewState(null)))
        .contains(
            "requests 10/s  allowed 5.0/s  refused 3.0/s  returned 503 2.0/s  delayed 0/s"
                + "  met no rule 0/s  would be refused 4.0/s");
  }
}
