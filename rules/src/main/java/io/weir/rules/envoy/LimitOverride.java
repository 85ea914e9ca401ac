package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.rules.match.MalformedRequestException;

/**
 * A limit in a {@link Descriptor}, as it was received.
 *
 * @param unit the name of a {@link RateUnit}, in any case, or any other text that a client sends
 */
public record LimitOverride(long requestsPerUnit, String unit) {
  /**
   * The limit.
   *
   * @throws MalformedRequestException if it is invalid
   */
  Limit limit() {
    if (requestsPerUnit < 0 || requestsPerUnit > RateUnit.MAX_REQUESTS) {
      throw new MalformedRequestException(
          "requests_per_unit of a limit override must be from 0 to "
              + (RateUnit.MAX_REQUESTS + ", but is " + requestsPerUnit));
    }
    return knownUnit().limit(requestsPerUnit);
  }

  private RateUnit knownUnit() {
    return RateUnit.named(unit)
        .orElseThrow(
            () ->
                new MalformedRequestException(
                    "the unit of a limit override must be one of " + RateUnit.NAMES));
  }
}
