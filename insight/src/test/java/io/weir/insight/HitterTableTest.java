package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HitterTableTest {
  /**
   * Where many want the same place, and at the end of the table too.
   *
   * @param step how far apart hashes are
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 64, -1, 0x9E3779B97F4A7C15L})
  void findsExactlyTheAddedCallers(long step) {
    HitterTable table = new HitterTable();
    Map<Long, Hitter> model = new HashMap<>();
    Random random = new Random(11);
    for (int i = 0; i < 60_000; i++) {
      long hash = step * random.nextInt(200);
      Hitter known = model.get(hash);
      assertThat(table.find(hash)).isSameAs(known);
      if (known == null && model.size() < 100) {
        Hitter hitter = new Hitter(1);
        hitter.become("k" + hash, hash, 0, 0);
        table.add(hitter);
        model.put(hash, hitter);
      } else if (known != null) {
        table.remove(known);
        model.remove(hash);
      }
      if (i % 1000 == 0) {
        table.trim();
      }
    }
  }
}
