package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table of words, beside a map. */
class WordTableTest {
  private BiPredicate<Long, Long> canDrop = (hash, word) -> word == 0;
  private final WordTable table =
      new WordTable(
          (hash, word, time, inMillis) -> canDrop.test(hash, word),
          new TableMemory.Part(TableMemory.SHARED));
  private final Map<Long, Long> map = new HashMap<>();
  private final Random random = new Random(7);

  /** Sets a key's word as an engine does: find, claim, or follow the heirs. */
  private void put(long rawHash, long word) {
    long hash = Hashes.usable(rawHash);
    WordPage page = table.page(hash);
    while (true) {
      int slot = page.find(hash);
      if (slot >= 0 && !WordPage.isFrozen(page.storedAt(slot))) {
        assertThat(page.casStored(slot, page.storedAt(slot), word)).isTrue();
        map.put(hash, word);
        return;
      }
      if (slot < 0 && page.isFree(~slot) && !page.isFull()) {
        assertThat(table.claim(page, ~slot, hash)).isTrue();
      } else {
        page = table.successor(page, hash, 0, false);
      }
    }
  }

  private long get(long hash) {
    WordPage page = table.page(hash);
    while (page.heirs() != null) {
      page = table.successor(page, hash, 0, false);
    }
    int slot = page.find(hash);
    return slot >= 0 ? WordPage.word(page.storedAt(slot)) : 0;
  }

  private void fill(int keys) {
    for (int i = 0; i < keys; i++) {
      put(random.nextLong(), 1 + random.nextInt(1000));
    }
  }

  private void expectAll() {
    map.forEach((hash, word) -> assertThat(get(hash)).isEqualTo(word));
    assertThat(table.keys()).isEqualTo(map.size());
  }

  @ParameterizedTest(name = "{0} keys")
  @ValueSource(ints = {1, 6, 7, 100, 1679, 1680, 5000, 100_000})
  void growsAndKeepsAllKeys(int keys) {
    fill(keys);
    expectAll();
    assertThat(table.entries()).isLessThanOrEqualTo(Math.max(1, keys / 100));
  }

  @Test
  void keysThatBeginAlikeDoNotBlowUpTheDirectory() {
    for (int i = 0; i < 5000; i++) {
      put(0xABCD_E000_0000_0000L | random.nextLong() >>> 20, i + 1);
    }
    expectAll();
    assertThat(table.entries()).isLessThan(1000);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, -1, Long.MIN_VALUE, Long.MAX_VALUE})
  void anyHashIsAHash(long hash) {
    put(hash, 5);
    put(hash, 6);
    assertThat(get(Hashes.usable(hash))).isEqualTo(6);
    assertThat(table.keys()).isEqualTo(1);
  }

  @Test
  void aSweepDropsWhatCanBeDroppedAndKeepsTheRest() {
    fill(50_000);
    int before = table.entries();
    canDrop = (hash, word) -> word % 2 == 1;
    for (int i = 0; i < before; i++) {
      table.sweep(i, 0, false);
    }
    map.values().removeIf(word -> word % 2 == 1);
    expectAll();
    for (int i = 0; i < 2 * before; i++) {
      canDrop = (hash, word) -> true;
      table.sweep(i, 0, false);
    }
    assertThat(table.keys()).isZero();
    map.keySet().forEach(hash -> assertThat(get(hash)).isZero());
  }

  @Test
  void aSweepForAFewKeysIsNotWorthIt() {
    fill(1000);
    WordPage page = table.page(0);
    Set<Long> few = new HashSet<>(map.keySet().stream().limit(200).toList());
    canDrop = (hash, word) -> few.contains(hash);
    table.sweep(0, 0, false);
    assertThat(page.heirs()).isNull();
    few.addAll(map.keySet().stream().limit(260).toList());
    canDrop = (hash, word) -> few.contains(hash);
    table.sweep(0, 0, false);
    assertThat(page.heirs()).hasSize(1);
    assertThat(table.page(0)).isSameAs(page.heirs()[0]);
    assertThat(table.keys()).isEqualTo(map.size() - few.size());
  }

  @Test
  void pagesShrinkAgain() {
    fill(1500);
    int large = table.page(0).capacity();
    Set<Long> kept = new HashSet<>(map.keySet().stream().limit(10).toList());
    canDrop = (hash, word) -> !kept.contains(hash);
    table.sweep(0, 0, false);
    map.keySet().retainAll(kept);
    assertThat(table.page(0).capacity()).isLessThan(large / 10);
    expectAll();
  }

  @Test
  void whatHasRetiredIsReadForTheLastTime() {
    fill(20_000);
    long some = map.keySet().iterator().next();
    assertThat(WordTable.retiredWord(table.retire(some), some)).isEqualTo(map.get(some));
    assertThat(WordTable.retiredWord(table.retire(some), some)).isEqualTo(map.get(some));
    assertThat(WordTable.retiredWord(table.retire(12345), 12345)).isZero();
    assertThat(table.successor(table.retire(some), some, 0, false)).isNull();

    Set<Long> seen = new HashSet<>();
    retireAll(table, hash -> assertThat(seen.add(hash)).isTrue());
    assertThat(seen).isEqualTo(map.keySet());
    map.keySet()
        .forEach(hash -> assertThat(table.successor(table.retire(hash), hash, 0, false)).isNull());
  }

  @Test
  void aPageIsClaimedOnlyAsFarAsItMayBe() {
    WordPage page = new WordPage(8, 6, 0, 0);
    for (long hash = 10; hash < 16; hash++) {
      assertThat(page.isFull()).isFalse();
      assertThat(page.claim(~page.find(hash), hash)).isTrue();
    }
    assertThat(page.isFull()).isTrue();
    assertThat(page.claim(~page.find(16), 16)).isFalse();
    assertThat(page.used()).isEqualTo(6);
    int taken = page.find(10);
    assertThat(new WordPage(8, 6, 0, 0).claim(taken, 10)).isTrue();
    assertThat(page.claim(taken, 99)).isFalse();
  }

  @Test
  void aFrozenPageDoesNotChange() {
    WordPage page = new WordPage(8, 6, 0, 0);
    page.put(10, 7);
    int slot = page.find(10);
    page.freeze();
    page.freeze();
    assertThat(page.storedAt(slot)).matches(WordPage::isFrozen);
    assertThat(WordPage.word(page.storedAt(slot))).isEqualTo(7);
    assertThat(page.casStored(slot, 7, 8)).isFalse();
    int free = ~page.find(11);
    assertThat(page.isFree(free)).isFalse();
    assertThat(page.hashAt(free)).isEqualTo(WordPage.SEALED);
    assertThat(page.claim(free, 11)).isFalse();
    WordPage heir = new WordPage(8, 6, 0, 0);
    assertThat(page.nameHeirs(heir)).containsExactly(heir);
    assertThat(page.nameHeirs(WordPage.GONE)).containsExactly(heir);
  }

  private static void retireAll(WordTable table, TableEngine.KeyVisitor visitor) {
    PageCursor pageCursor = new PageCursor(1);
    while (!pageCursor.isOver()) {
      table.retireSome(pageCursor, 3, visitor);
    }
  }
}
