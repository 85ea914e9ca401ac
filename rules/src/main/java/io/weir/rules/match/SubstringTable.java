package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * A hash table with lookup by a part of a text, without a copy of that part.
 *
 * <p>One table serves many owners, such as the nodes of a tree: a key is an owner's number and a
 * text. Lookups may use untrusted input, but the stored keys are trusted. So clients cannot cause
 * hash collisions on purpose.
 *
 * @param <V> the value of a key
 */
final class SubstringTable<V> {
  private static final int HASH_STEP = 31; // must agree with String.hashCode

  private @Nullable Slot<V>[] slots = empty(16);
  private int count;

  private record Slot<V>(int owner, String text, V value) {}

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <V> @Nullable Slot<V>[] empty(int size) {
    return new Slot[size];
  }

  /** Adds a key that is not present. */
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

  /** The hash after one more character. */
  static int extend(int hash, char next) {
    return HASH_STEP * hash + next;
  }

  /** The value for the part of {@code text} with this hash. */
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

  /** The value for a complete text. */
  @Nullable V get(int owner, String text) {
    return get(owner, text, 0, text.length(), text.hashCode());
  }
}
