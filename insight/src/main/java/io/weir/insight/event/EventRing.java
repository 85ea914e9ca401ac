package io.weir.insight.event;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A ring buffer of decisions that the background thread has not read yet.
 *
 * <p>Single writer, single reader. The writer fills a slot, then advances {@code written} with a
 * release store. The reader empties the slot, then advances {@code read} likewise. The writer loads
 * {@code read} only when the ring looks full.
 */
final class EventRing {
  private static final int SLOT_BYTES = 16; // a reference, an int and a long

  private static final VarHandle WRITTEN = field("written", int.class);
  private static final VarHandle READ = field("read", int.class);
  private static final VarHandle MISSED = field("missed", long.class);

  private final @Nullable String[] keys;
  private final int[] rules;
  private final long[] words;

  @SuppressWarnings("unused") // through its VarHandle
  private int written;

  @SuppressWarnings("unused") // through its VarHandle
  private int read;

  @SuppressWarnings("unused") // through its VarHandle
  private long missed;

  private int writerPosition; // the writer's own copy of {@code written}
  private int full; // where the writer must load {@code read} again
  private long random;

  /**
   * @param slots a power of two
   */
  EventRing(int slots) {
    this.keys = new String[slots];
    this.rules = new int[slots];
    this.words = new long[slots];
    this.full = slots;
    this.random = System.nanoTime() | 1;
  }

  private static VarHandle field(String name, Class<?> type) {
    try {
      return MethodHandles.lookup().findVarHandle(EventRing.class, name, type);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  /** Whether this decision is sampled: one in 2 to the power of {@code n}. */
  boolean isDrawn(int n) {
    long x = random;
    x ^= x << 13;
    x ^= x >>> 7;
    x ^= x << 17;
    random = x;
    return x >>> (64 - n) == 0;
  }

  /** Adds a decision, or counts it as missed. */
  void add(int rule, String key, long word) {
    if (!offer(rule, key, word)) {
      MISSED.setOpaque(this, missed + DecisionEvent.weight(word));
    }
  }

  /** Adds a decision unless the ring is full. */
  boolean offer(int rule, String key, long word) {
    int at = writerPosition;
    if (at == full) {
      full = (int) READ.getAcquire(this) + keys.length;
      if (at == full) {
        return false;
      }
    }
    int slot = at & (keys.length - 1);
    keys[slot] = key;
    rules[slot] = rule;
    words[slot] = word;
    writerPosition = at + 1;
    WRITTEN.setRelease(this, at + 1);
    return true;
  }

  void drain(EventBuffer.EventConsumer eventConsumer) {
    int until = (int) WRITTEN.getAcquire(this);
    for (int at = read; at != until; at++) {
      int slot = at & (keys.length - 1);
      String key = keys[slot];
      int rule = rules[slot];
      long word = words[slot];
      keys[slot] = null; // do not keep the key reachable
      READ.setRelease(this, at + 1);
      if (key != null) {
        eventConsumer.see(rule, key, word);
      }
    }
  }

  long missed() {
    return (long) MISSED.getOpaque(this);
  }

  /** The memory use, without the keys in the ring. */
  long bytes() {
    return (long) keys.length * SLOT_BYTES;
  }
}
