package io.weir.rig;

import java.util.List;

/**
 * What a fuzzer that is guided by coverage calls: a parser, and the checks of what it made of an
 * input. Implementations have a constructor without parameters; one object sees all inputs.
 */
public interface FuzzTarget {
  /** Inputs to begin with, valid ones above all. They are tried in every run of the tests. */
  List<byte[]> seeds();

  /** Pieces that inputs are made of and that a fuzzer does not find quickly by itself. */
  default List<String> words() {
    return List.of();
  }

  /**
   * Tries an input.
   *
   * @throws Exception if the parser threw what it does not document
   * @throws AssertionError if what it read is wrong
   */
  void run(byte[] input) throws Exception;
}
