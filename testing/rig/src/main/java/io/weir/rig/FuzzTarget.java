package io.weir.rig;

import java.util.List;

/**
 * A target for coverage-guided fuzzing: a parser, and checks of its result. Implementations have a
 * constructor without parameters; one object receives all inputs.
 */
public interface FuzzTarget {
  /** Initial inputs, mostly valid ones. They run with every test run. */
  List<byte[]> seeds();

  /** Fragments of inputs that a fuzzer does not find quickly. */
  default List<String> words() {
    return List.of();
  }

  /**
   * Runs one input.
   *
   * @throws Exception if the parser threw an undocumented exception
   * @throws AssertionError if the parser's result is wrong
   */
  void run(byte[] input) throws Exception;
}
