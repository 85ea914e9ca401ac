package io.weir.algorithm;

import java.util.Arrays;

/**
 * A key's state under one limit, wherever a store keeps it: some words in an array, and for a log a
 * region of a heap of ints. An untouched bucket is all zero.
 *
 * <p>A cursor, not a value: stores move one instance from key to key. Not thread-safe.
 */
public final class Bucket {
  private long[] words;
  private int at;
  private final Heap heap;

  /** A bucket over {@code words} of its own, for as long as one operation. */
  public Bucket(int words) {
    this.words = new long[words];
    this.heap = new Heap.Growing();
  }

  /** A bucket over {@code words} of its own, with a heap of its own. */
  public Bucket(int words, Heap heap) {
    this.words = new long[words];
    this.heap = heap;
  }

  /** A cursor for regions of {@code heap}; to be moved before use. */
  public Bucket(Heap heap) {
    this.words = new long[0];
    this.heap = heap;
  }

  /** Moves to the words that begin at {@code at}. */
  public Bucket moveTo(long[] words, int at) {
    this.words = words;
    this.at = at;
    return this;
  }

  /** One of the words. */
  public long word(int i) {
    return words[at + i];
  }

  /** Changes one of the words. */
  public void word(int i, long value) {
    words[at + i] = value;
  }

  Heap heap() {
    return heap;
  }

  /** Where logs have their entries. */
  public interface Heap {
    /** All regions; another array after an allocation. */
    int[] ints();

    /** A region of {@code length} ints, its content undefined. */
    int allocate(int length);

    /** Whether there is memory for larger regions; if not, a log merges entries. */
    default boolean mayGrow() {
      return true;
    }

    /** A heap that only grows, for a bucket that lives as long as one operation. */
    final class Growing implements Heap {
      private static final int[] EMPTY = {};
      private int[] ints = EMPTY;

      @Override
      public int[] ints() {
        return ints;
      }

      @Override
      public int allocate(int length) {
        int start = ints.length;
        ints = Arrays.copyOf(ints, start + length);
        return start;
      }
    }
  }
}
