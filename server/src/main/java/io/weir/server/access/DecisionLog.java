package io.weir.server.access;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.RequestDecision;
import io.weir.rules.envoy.DescriptorDecision;

/** Records the decisions on requests, on their event loops. */
public interface DecisionLog {
  /** Records nothing. */
  DecisionLog NONE =
      new DecisionLog() {
        @Override
        public void decided(HttpServerRequest request, RequestDecision requestDecision) {
          // there is no log
        }

        @Override
        public void decided(HttpServerRequest request, DescriptorDecision decision) {
          // there is no log
        }
      };

  /** Records the decision on a request. */
  void decided(HttpServerRequest request, RequestDecision requestDecision);

  /** Records the decision on the descriptors of a request. */
  void decided(HttpServerRequest request, DescriptorDecision decision);
}
