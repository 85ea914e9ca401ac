package io.weir.decision;

import java.util.Locale;

/** Where a request came in: the label {@code port} of {@code weir_requests_total}. */
public enum FrontEnd {
  /** The gateway's port. */
  GATEWAY,
  /** The service port: checks over HTTP, forward authentication, reservations, Envoy's calls. */
  SERVICE,
  /** An application that Weir is embedded in: servlet filter, gRPC interceptor, Spring. */
  APPLICATION;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
