package io.weir.server.rls;

import io.weir.rules.http.Header;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Envoy is told.
 *
 * @param isOver whether the request is refused
 * @param statuses of each descriptor, in their order
 * @param headers for the response to whoever asked Envoy
 * @param metadata what filters after Envoy's own may read; empty: none
 */
record Reply(
    boolean isOver,
    List<Status> statuses,
    List<Header> headers,
    Map<String, @Nullable Object> metadata) {

  /**
   * What Envoy is told about one descriptor.
   *
   * @param limit what limits it; null if nothing does, or if nobody has counted
   * @param remaining how many more would be allowed now
   * @param resetSeconds until there is more; 0: not told
   */
  record Status(boolean isOver, @Nullable ShownLimit limit, long remaining, long resetSeconds) {
    /** Nothing limits it, as far as anybody knows. */
    static final Status FREE = new Status(false, null, 0, 0);

    /** A rule says that it may do as it likes. */
    static final Status UNLIMITED = new Status(false, null, 0xFFFF_FFFFL, 0);
  }

  /**
   * A limit as Envoy knows limits.
   *
   * @param name empty: it was given none
   */
  record ShownLimit(long requestsPerUnit, Unit unit, String name) {}
}
