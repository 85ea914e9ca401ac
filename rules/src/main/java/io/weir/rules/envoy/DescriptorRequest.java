package io.weir.rules.envoy;

import io.weir.rules.match.MalformedRequestException;
import java.util.List;

/**
 * A request of the Envoy form, with several descriptors.
 *
 * @param hits how many permits a descriptor without hits of its own costs; 0 means 1
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
