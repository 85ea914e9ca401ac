package io.weir.server.rls;

import io.weir.rules.http.Header;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A response to Envoy.
 *
 * @param isOver whether the request is refused
 * @param statuses the status of each descriptor, in their order
 * @param headers for the response to Envoy's client
 * @param metadata the dynamic metadata for later Envoy filters; empty: none
 */
record RlsResponse(
    boolean isOver,
    List<DescriptorStatus> statuses,
    List<Header> headers,
    Map<String, @Nullable Object> metadata) {

  /**
   * The status of one descriptor.
   *
   * @param limit the limit that applies; null if none does, or if nothing was counted
   * @param remaining how many more would be allowed now
   * @param resetSeconds until more are available; 0: left out
   */
  record DescriptorStatus(
      boolean isOver, @Nullable CurrentLimit limit, long remaining, long resetSeconds) {
    /** No limit is known to apply. */
    static final DescriptorStatus FREE = new DescriptorStatus(false, null, 0, 0);

    /** A rule exempts it from limits. */
    static final DescriptorStatus UNLIMITED = new DescriptorStatus(false, null, 0xFFFF_FFFFL, 0);
  }

  /**
   * A limit in Envoy's terms.
   *
   * @param name empty: it has none
   */
  record CurrentLimit(long requestsPerUnit, EnvoyUnit envoyUnit, String name) {}
}
