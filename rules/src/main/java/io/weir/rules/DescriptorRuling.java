package io.weir.rules;

import java.util.List;

/**
 * What the rules say to all descriptors of one question.
 *
 * @param allowed whether the request may go
 * @param isError whether nothing was decided: a store could not be asked, and a rule says that
 *     whoever asks is to be told so
 * @param answers of each descriptor, in their order
 */
public record DescriptorRuling(boolean allowed, boolean isError, List<Answer> answers) {
  /** Copies the list. */
  public DescriptorRuling {
    answers = List.copyOf(answers);
  }

  /**
   * What the rules say to one descriptor.
   *
   * @param finding what the tree of descriptors has for it
   * @param ruling of everything that limits it: the tree's limit first, then the rules of Weir's
   *     own form in that domain
   */
  public record Answer(Descriptor descriptor, Finding finding, Ruling ruling) {}
}
