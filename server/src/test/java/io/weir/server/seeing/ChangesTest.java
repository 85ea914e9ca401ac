package io.weir.server.seeing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Place;
import io.weir.rules.RuleSet;
import io.weir.rules.file.Problem;
import io.weir.rules.file.RuleFiles;
import io.weir.server.RuleChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is told of changes of the rules. */
class ChangesTest {
  private final ManualTime time = TimeSource.manual().set(Instant.ofEpochMilli(5000));
  private final Changes changes = new Changes(time);

  private static RuleSet rules(String rules) {
    return RuleFiles.read("r.yaml", ("rules: [" + rules + "]").getBytes(UTF_8))
        .rules()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          { name: a, limit: 2/s }                             | 1 per 1s     | 2 per 1s
          { name: a, limit: 1/s, mode: shadow }               | mode enforce | mode shadow
          { name: a, limit: 1/s, per: ip }                    | per none     | per ip
          { name: a, limit: 1/s, per: [ip, user] }            | per none     | per ip, user
          { name: a, limit: 1/s, cost: 5 }                    | cost of the request | cost 5
          { name: a, limit: 1/s, on_failure: deny, mode: off} | mode enforce; on_failure allow | mode off; on_failure deny
          { name: a, limit: 1/s, match: { path: /a } }        | match        | /a
          """)
  void ofAChangedRuleIsToldWhatIsDifferent(String after, String gone, String come) {
    changes.reloaded(RuleChange.between(rules("{ name: a, limit: 1/s }"), rules(after)));
    Change change = changes.newest().get(0);
    assertThat(change.result()).hasToString("success");
    assertThat(change.millis()).isEqualTo(5000);
    assertThat(change.summary()).isEqualTo("1 rule; changed 'a'");
    assertThat(change.changed()).hasSize(1);
    assertThat(change.changed().get(0).before()).contains(gone);
    assertThat(change.changed().get(0).after()).contains(come);
  }

  @Test
  void theLastHundredAreKept() {
    List<Change> told = new ArrayList<>();
    changes.each(told::add);
    changes.started(3);
    for (int i = 0; i < 100; i++) {
      changes.rejected(List.of(Problem.error(Place.NOWHERE, "wrong " + i)));
    }
    assertThat(changes.newest()).hasSize(100);
    assertThat(changes.newest().get(0).problems()).containsExactly("(program):1:1: wrong 99");
    assertThat(changes.newest().get(99).problems()).containsExactly("(program):1:1: wrong 0");
    assertThat(told).hasSize(101);
    assertThat(told.get(0).summary()).isEqualTo("started with 3 rules");
  }

  @Test
  void aLongListIsCutAndSaysSo() {
    RuleSet many =
        rules(
            IntStream.range(0, 50)
                .mapToObj(i -> "{ name: r" + i + ", limit: 1/s }")
                .collect(Collectors.joining(",")));
    changes.reloaded(RuleChange.between(rules("{ name: a, limit: 1/s }"), many));
    Change change = changes.newest().get(0);
    assertThat(change.added()).hasSize(20).contains("r0");
    assertThat(change.removed()).containsExactly("a");
    assertThat(change.more()).isEqualTo(30);
    assertThat(change.summary())
        .isEqualTo(RuleChange.between(rules("{ name: a, limit: 1/s }"), many).toString());

    changes.rejected(Collections.nCopies(30, Problem.error(Place.NOWHERE, "wrong")));
    assertThat(changes.newest().get(0).problems()).hasSize(20);
    assertThat(changes.newest().get(0).summary()).isEqualTo("30 problems, the old rules stay");
  }
}
