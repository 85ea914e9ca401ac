package io.weir.arbiter;

import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;

/** Follows decisions, for distributed tracing. */
public interface Follower {
  /** A decision begins, on this thread. */
  Step begin();

  /** A decision in progress. Exactly one method is called at its end, on any thread. */
  interface Step {
    /** A request was decided. */
    void decided(Ruling ruling);

    /** Descriptors were decided. */
    void decided(DescriptorRuling ruling);

    /** The decision failed. */
    void failed(Throwable cause);
  }
}
