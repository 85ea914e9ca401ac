package io.weir.rules;

import java.util.List;

/**
 * The decision on all descriptors of one question.
 *
 * @param allowed whether the request is allowed
 * @param isError whether there is no decision: a store could not be reached, and a rule has {@code
 *     on_failure: error}
 * @param answers of each descriptor, in their order
 */
public record DescriptorRuling(boolean allowed, boolean isError, List<Answer> answers) {
  /** Copies the list. */
  public DescriptorRuling {
    answers = List.copyOf(answers);
  }

  /**
   * The decision on one descriptor.
   *
   * @param finding the result of the descriptor tree
   * @param ruling of everything that limits it: the tree's limit first, then the rules of Weir's
   *     own form in that domain
   */
  public record Answer(Descriptor descriptor, Finding finding, Ruling ruling) {}
}
