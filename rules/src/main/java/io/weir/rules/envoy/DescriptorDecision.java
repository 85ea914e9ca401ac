package io.weir.rules.envoy;

import io.weir.rules.RequestDecision;
import java.util.List;

/**
 * The decision on all descriptors of one request.
 *
 * @param allowed whether the request is allowed
 * @param isError whether there is no decision: a store could not be reached, and a rule has {@code
 *     on_failure: error}
 * @param descriptorResults of each descriptor, in their order
 */
public record DescriptorDecision(
    boolean allowed, boolean isError, List<DescriptorResult> descriptorResults) {
  /** Copies the list. */
  public DescriptorDecision {
    descriptorResults = List.copyOf(descriptorResults);
  }

  /**
   * The decision on one descriptor.
   *
   * @param descriptorMatch the result of the descriptor tree
   * @param requestDecision of everything that limits it: the tree's limit first, then the rules of
   *     Weir's own form in that domain
   */
  public record DescriptorResult(
      Descriptor descriptor, DescriptorMatch descriptorMatch, RequestDecision requestDecision) {}
}
