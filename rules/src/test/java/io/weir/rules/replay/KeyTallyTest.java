package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who was refused most, of how many requests, with far more keys than can be named. */
class KeyTallyTest {
  private static final Rule RULE = Rule.named("rule").build();
  private static final int KEYS = 5000;

  @Test
  void countsHitsAndRequestsOfEachKey() {
    KeyTally tally = new KeyTally();
    for (int i = 0; i < 7; i++) {
      tally.add("a", i % 2 == 0);
      tally.add("b", i == 3);
      tally.add("c", false);
    }

    assertThat(tally.keys()).isEqualTo(3);
    assertThat(tally.keysHit()).isEqualTo(2);
    assertThat(tally.most(RULE))
        .containsExactly(new KeyCount(RULE, "a", 4, 7), new KeyCount(RULE, "b", 1, 7));
  }

  @Test
  void namesTheWorstOfManyAndTheSameOnesEachTime() {
    assertThat(worst()).isEqualTo(worst());
    List<KeyCount> worst = worst();
    assertThat(worst).hasSize(RuleSummary.MOST_KEYS);
    for (int i = 0; i < 10; i++) {
      assertThat(worst.get(i)).isEqualTo(new KeyCount(RULE, "key" + i, 100 - i, 101));
    }
  }

  /** Ten stand out; all others have two hits each. */
  private static List<KeyCount> worst() {
    KeyTally tally = new KeyTally();
    for (int round = 0; round < 101; round++) {
      for (int key = 0; key < (round < 3 ? KEYS : 10); key++) {
        tally.add("key" + key, key < 10 ? round < 100 - key : round < 2);
      }
    }
    assertThat(tally.keys()).isEqualTo(KEYS);
    return tally.most(RULE);
  }
}
