package io.weir.rules;

import io.weir.Consistency;
import io.weir.OnFailure;
import java.util.Locale;

/** The mode of a rule, its behaviour when the store fails, and its consistency. */
public record Policy(Mode mode, OnFailure onFailure, Consistency consistency) {
  /** Enforced, allowed on failure, exact. */
  public static final Policy DEFAULT = new Policy(Mode.ENFORCE, OnFailure.ALLOW, Consistency.EXACT);

  /** The same policy in another mode. */
  public Policy with(Mode changed) {
    return new Policy(changed, onFailure, consistency);
  }

  /** Whether the decisions of a rule have an effect. */
  public enum Mode {
    /** Enforced. */
    ENFORCE,
    /** Charged and reported, but never refuses. */
    SHADOW,
    /** Ignored. */
    OFF;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
