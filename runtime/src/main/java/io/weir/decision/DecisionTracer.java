package io.weir.decision;

import io.weir.rules.RequestDecision;
import io.weir.rules.envoy.DescriptorDecision;

/** Traces decisions, for distributed tracing. */
public interface DecisionTracer {
  /** A decision begins, on this thread. */
  ActiveDecision begin();

  /** A decision in progress. Exactly one method is called at its end, on any thread. */
  interface ActiveDecision {
    /** A request was decided. */
    void decided(RequestDecision requestDecision);

    /** Descriptors were decided. */
    void decided(DescriptorDecision descriptorDecision);

    /** The decision failed. */
    void failed(Throwable cause);
  }
}
