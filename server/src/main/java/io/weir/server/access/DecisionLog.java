package io.weir.server.access;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.RequestDecision;
import io.weir.rules.envoy.DescriptorDecision;

/** Notes what was decided of requests, on their event loops. */
public interface DecisionLog {
  /** Notes nothing. */
  DecisionLog NONE =
      new DecisionLog() {
        @Override
        public void decided(HttpServerRequest request, RequestDecision requestDecision) {
          // there is no log
        }

        @Override
        public void decided(HttpServerRequest request, DescriptorDecision ruling) {
          // there is no log
        }
      };

  /** Notes what was decided of a request. */
  void decided(HttpServerRequest request, RequestDecision requestDecision);

  /** Notes what was decided of the descriptors of a request. */
  void decided(HttpServerRequest request, DescriptorDecision ruling);
}
