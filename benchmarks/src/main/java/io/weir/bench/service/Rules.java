package io.weir.bench.service;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The same limits in the configuration of each server. */
final class Rules {
  private Rules() {}

  /** For envoyproxy/ratelimit and for Weir, which reads the same format. */
  static String envoy() {
    return "domain: %s\ndescriptors:\n".formatted(ServiceRequests.DOMAIN)
        + ServiceRequests.DESCRIPTORS.stream()
            .map(
                name ->
                    """
                      - key: %s
                        rate_limit:
                          unit: hour
                          requests_per_unit: %d
                    """
                        .formatted(name, ServiceRequests.LIMIT))
            .collect(Collectors.joining());
  }

  /** For {@code /v1/check}. */
  static String check() {
    return """
        rules:
          - name: client
            per: user
            limit: 1000000 per second
        """;
  }

  /** For Limitador, which identifies descriptors by position. */
  static String limitador(int descriptors) {
    return IntStream.range(0, descriptors)
        .mapToObj(
            place ->
                """
                - namespace: %s
                  max_value: %d
                  seconds: 3600
                  conditions: []
                  variables:
                    - "descriptors[%d].%s"
                """
                    .formatted(
                        ServiceRequests.DOMAIN,
                        ServiceRequests.LIMIT,
                        place,
                        ServiceRequests.DESCRIPTORS.get(place)))
        .collect(Collectors.joining());
  }
}
