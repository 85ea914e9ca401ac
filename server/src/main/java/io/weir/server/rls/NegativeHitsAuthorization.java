package io.weir.server.rls;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.server.http.RefundAuthorization;

/** Decides which peers may send negative hits, since these refund permits. */
final class NegativeHitsAuthorization {
  static final String MUST_BE_KNOWN =
      "negative hits are for callers on this machine, or with a token or a certificate";

  private final RefundAuthorization refundAuthorization;

  NegativeHitsAuthorization(RefundAuthorization refundAuthorization) {
    this.refundAuthorization = refundAuthorization;
  }

  /** Whether the sender of {@code request} may send {@code descriptorRequest}. */
  boolean isAllowed(HttpServerRequest request, DescriptorRequest descriptorRequest) {
    return !hasRefund(descriptorRequest) || refundAuthorization.mayRefund(request);
  }

  private static boolean hasRefund(DescriptorRequest descriptorRequest) {
    for (Descriptor descriptor : descriptorRequest.descriptors()) {
      if (descriptor.isNegative()) {
        return true;
      }
    }
    return false;
  }
}
