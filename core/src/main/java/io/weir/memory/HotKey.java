package io.weir.memory;

import org.jspecify.annotations.Nullable;

/**
 * A frequent key, its hash, and the place of its word, if it has one. Immutable.
 *
 * <p>The place is an array of a page. It stays that key's until its word is frozen. It does not
 * keep the page, and all its heirs, from being collected.
 */
final class HotKey {
  private static final long NOBODY = -1;

  private final String key;
  private final int code;
  private final long hash;
  private final long engine;
  private final long @Nullable [] slots;
  private final int at;

  HotKey(String key, int code, long hash) {
    this(key, code, hash, NOBODY, null, 0);
  }

  private HotKey(String key, int code, long hash, long engine, long @Nullable [] slots, int at) {
    this.key = key;
    this.code = code;
    this.hash = hash;
    this.engine = engine;
    this.slots = slots;
    this.at = at;
  }

  boolean is(String other, int itsCode) {
    return code == itsCode && key.equals(other);
  }

  int code() {
    return code;
  }

  long hash() {
    return hash;
  }

  HotKey in(TableEngine owner, long[] itsSlots, int itsPlace) {
    return new HotKey(key, code, hash, owner.id(), itsSlots, itsPlace);
  }

  boolean isPlacedBy(TableEngine owner) {
    return engine == owner.id();
  }

  /** This key without its place, if that is frozen. */
  HotKey withoutStalePlace() {
    return slots != null && WordPage.isFrozen(storedWord()) ? new HotKey(key, code, hash) : this;
  }

  /** The word at its place, negative if it is frozen. */
  long storedWord() {
    return slots == null ? 0 : WordPage.storedAt(slots, at);
  }

  boolean casWord(long expected, long word) {
    return slots != null && WordPage.casStored(slots, at, expected, word);
  }
}
