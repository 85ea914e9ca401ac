package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * A hash table that is asked by a part of a text, without cutting that part out.
 *
 * <p>One table serves many owners, such as the nodes of a tree: a key is an owner's number and a
 * text. What is asked may be chosen by a stranger, what is in it is not: strangers cannot make it
 * slow.
 *
 * @param <V> what belongs to a key
 */
final class TextTable<V> {
  private static final int HASH_STEP = 31; // as in String.hashCode, which it must agree with

  private @Nullable Slot<V>[] slots = empty(16);
  private int count;

  private record Slot<V>(int owner, String text, V value) {}

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <V> @Nullable Slot<V>[] empty(int size) {
    return new Slot[size];
  }

  /** Adds a key that is not there yet. */
  void put(int owner, String text, V value) {
    if (++count > slots.length / 2) {
      @Nullable Slot<V>[] before = slots;
      slots = empty(before.length * 2);
      for (Slot<V> slot : before) {
        if (slot != null) {
          insert(slot);
        }
      }
    }
    insert(new Slot<>(owner, text, value));
  }

  private void insert(Slot<V> slot) {
    int i = place(slot.owner, slot.text.hashCode());
    while (slots[i] != null) {
      i = i + 1 & slots.length - 1;
    }
    slots[i] = slot;
  }

  private int place(int owner, int hash) {
    int mixed = (hash + owner * 0x9e3779b9) * 0x85ebca6b;
    return (mixed ^ mixed >>> 15) & slots.length - 1;
  }

  /** The hash of one character more. */
  static int extend(int hash, char next) {
    return HASH_STEP * hash + next;
  }

  /** What belongs to the part of {@code text} that has this hash. */
  @Nullable V get(int owner, String text, int from, int to, int hash) {
    int length = to - from;
    for (int i = place(owner, hash); ; i = i + 1 & slots.length - 1) {
      Slot<V> slot = slots[i];
      if (slot == null) {
        return null;
      }
      if (slot.owner == owner
          && slot.text.length() == length
          && slot.text.regionMatches(0, text, from, length)) {
        return slot.value;
      }
    }
  }

  /** What belongs to a whole text. */
  @Nullable V get(int owner, String text) {
    return get(owner, text, 0, text.length(), text.hashCode());
  }
}
