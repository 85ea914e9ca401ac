package io.weir.server.rls;

import static io.weir.server.rls.EnvoyRules.domain;
import static io.weir.server.rls.EnvoyRules.key;
import static io.weir.server.rls.EnvoyRules.limit;
import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.weir.server.ServerSettings;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import io.weir.server.rls.proto.service.RateLimitResponse;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The behaviour that the tests of envoyproxy/ratelimit pin, case by case, over the network with a
 * real client and both ways of counting. B2 to B6 are the sections of the list that these come
 * from: the limiter, the fixed-window cache, the service, the JSON handler, the integration tests.
 *
 * <p>Left out, because no client can see them: names of statistics, Redis keys and trace spans;
 * commands and expiry of Redis; memcached; xDS. So are its local cache, which does not change
 * decisions, and its health checks of the Redis connection. Its rules files are read by the tests
 * of {@code rules}.
 */
class EnvoyRatelimitConformanceTest {
  @Nested
  @DisplayName("B2: limiter")
  class B2 extends EnvoyLimiterCases {}

  @Nested
  @DisplayName("B3: fixed windows")
  class B3 extends EnvoyWindowCases {}

  @Nested
  @DisplayName("B4: service")
  class B4 extends EnvoyServiceCases {}

  @Nested
  @DisplayName("B5: JSON")
  class B5 extends EnvoyJsonCases {}

  @Nested
  @DisplayName("B6: integration")
  class B6 extends EnvoyIntegrationCases {}

  @Test
  @DisplayName("statuses, and only OK or OVER_LIMIT, whatever is asked")
  void neverUnknown() {
    try (Rls rls = Rls.of(domain("d", limit("key", "minute", 1)))) {
      RateLimitDescriptor.Builder[] many = new RateLimitDescriptor.Builder[100];
      for (int i = 0; i < many.length; i++) {
        many[i] = descriptor("key", "v" + i % 50);
      }
      RateLimitResponse response = rls.call("d", many);
      assertThat(response.getStatusesCount()).isEqualTo(100);
      assertThat(response.getOverallCode()).isNotEqualTo(Code.UNKNOWN);
      assertThatThrownBy(() -> rls.call(request("d", many).addDescriptors(key("key")).build()))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
      assertThat(ServerSettings.DEMO.envoy().mode().countsRefused()).isFalse();
    }
  }
}
