package io.weir.rules.envoy;

import io.weir.rules.match.MalformedRequestException;
import java.util.List;

/**
 * A question of the Envoy form, about several descriptors at once.
 *
 * @param hits how many permits descriptors without hits of their own ask for; 0 means 1
 */
public record DescriptorRequest(String domain, List<Descriptor> descriptors, long hits) {
  /** Copies the list. */
  public DescriptorRequest {
    descriptors = List.copyOf(descriptors);
    if (hits < 0) {
      throw new MalformedRequestException("hits must not be negative");
    }
  }
}
