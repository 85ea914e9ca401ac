package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HitterHeapTest {
  private static final long NOW = 1_790_000_000_000L;

  private final Random random = new Random(3);
  private final HitterHeap heap = new HitterHeap();
  private final List<Hitter> model = new ArrayList<>();

  @Test
  void lightestStaysFirstAfterAnyUpdateOrRemoval() {
    for (int i = 0; i < 50_000; i++) {
      int what = random.nextInt(100);
      if (model.isEmpty() || (what < 5 && model.size() < 300)) {
        come(i);
      } else if (what < 8) {
        assertThat(model.remove(heap.removeLightest())).isTrue();
        heap.trim();
      } else if (what == 8) {
        heap.scale(0.5);
      } else {
        model.get(random.nextInt(model.size())).add(1, random.nextInt(50), 0, NOW, NOW);
      }
      check();
    }
  }

  private void come(int number) {
    Hitter hitter = new Hitter(1);
    hitter.become("k" + number, number, random.nextInt(20), NOW);
    heap.add(hitter);
    model.add(hitter);
  }

  private void check() {
    assertThat(heap.size()).isEqualTo(model.size());
    assertThat(heap.all()).hasSize(model.size());
    if (!model.isEmpty()) {
      double minWeight = model.stream().mapToDouble(Hitter::weight).min().orElseThrow();
      assertThat(heap.lightest().weight()).isEqualTo(minWeight);
    }
  }
}
