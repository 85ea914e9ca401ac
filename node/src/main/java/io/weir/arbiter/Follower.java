package io.weir.arbiter;

import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;

/** Follows decisions, for whoever follows requests through several programs. */
public interface Follower {
  /** A decision begins, on this thread. */
  Step begin();

  /** A decision that is under way; one of these is called at its end, on any thread. */
  interface Step {
    /** A request was decided. */
    void decided(Ruling ruling);

    /** Descriptors were decided. */
    void decided(DescriptorRuling ruling);

    /** Nothing was decided. */
    void failed(Throwable cause);
  }
}
