package io.weir.rules.replay.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rule;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.RuleSummary;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyCounterTest {
  private static final Rule RULE = Rule.named("r").build();
  private static final int MANY = 5000;

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 300, 5000, 200_000})
  void countsLikeAMap(int keys) {
    Random random = new Random(keys);
    KeyCounter keyCounter = new KeyCounter();
    Map<String, Long> hits = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      // The lower, the more often.
      String key = "key-" + (int) (keys * random.nextDouble() * random.nextDouble());
      boolean hit = random.nextInt(3) == 0;
      keyCounter.add(key, hit);
      hits.merge(key, hit ? 1L : 0L, Long::sum);
    }
    assertThat(keyCounter.keys()).isEqualTo(hits.size());
    assertThat(keyCounter.keysHit()).isEqualTo(hits.values().stream().filter(n -> n > 0).count());
    List<Long> highest =
        hits.values().stream()
            .filter(n -> n > 0)
            .sorted(Comparator.reverseOrder())
            .limit(RuleSummary.MAX_KEYS)
            .toList();
    List<KeyCount> named = keyCounter.top(RULE);
    assertThat(named).extracting(KeyCount::count).isEqualTo(highest);
    assertThat(named).allSatisfy(each -> assertThat(each.count()).isEqualTo(hits.get(each.key())));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 10_000})
  void namesKeysThatAreAllAlike(int keys) {
    KeyCounter keyCounter = new KeyCounter();
    for (int round = 0; round < 7; round++) {
      for (int i = 0; i < keys; i++) {
        keyCounter.add("k" + i, true);
      }
    }
    assertThat(keyCounter.top(RULE))
        .hasSize(RuleSummary.MAX_KEYS)
        .allSatisfy(each -> assertThat(each.count()).isEqualTo(7));
  }

  @Test
  void countsHitsAndRequestsOfEachKey() {
    KeyCounter keyCounter = new KeyCounter();
    for (int i = 0; i < 7; i++) {
      keyCounter.add("a", i % 2 == 0);
      keyCounter.add("b", i == 3);
      keyCounter.add("c", false);
    }

    assertThat(keyCounter.keys()).isEqualTo(3);
    assertThat(keyCounter.keysHit()).isEqualTo(2);
    assertThat(keyCounter.top(RULE))
        .containsExactly(new KeyCount(RULE, "a", 4, 7), new KeyCount(RULE, "b", 1, 7));
  }

  @Test
  void namesTheWorstOfManyAndTheSameOnesEachTime() {
    assertThat(worst()).isEqualTo(worst());
    List<KeyCount> worst = worst();
    assertThat(worst).hasSize(RuleSummary.MAX_KEYS);
    for (int i = 0; i < 10; i++) {
      assertThat(worst.get(i)).isEqualTo(new KeyCount(RULE, "key" + i, 100 - i, 101));
    }
  }

  /** Ten stand out; all others have two hits each. */
  private static List<KeyCount> worst() {
    KeyCounter keyCounter = new KeyCounter();
    for (int round = 0; round < 101; round++) {
      for (int key = 0; key < (round < 3 ? MANY : 10); key++) {
        keyCounter.add("key" + key, key < 10 ? round < 100 - key : round < 2);
      }
    }
    assertThat(keyCounter.keys()).isEqualTo(MANY);
    return keyCounter.top(RULE);
  }
}
