package io.weir.memory;

import org.jspecify.annotations.Nullable;

/**
 * A key that is asked for again and again, its hash, and where its word is, if it has one.
 *
 * <p>Never changed, only replaced. The place is an array of a page, which stays that key's for as
 * long as its word is not frozen; it does not keep the page, and with it all that came after it,
 * from being collected.
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

  HotKey in(Engine owner, long[] itsSlots, int itsPlace) {
    return new HotKey(key, code, hash, owner.id(), itsSlots, itsPlace);
  }

  boolean isPlacedBy(Engine owner) {
    return engine == owner.id();
  }

  /** Without a place, if the one that it has is frozen. */
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
