package io.weir.rules;

import io.weir.Consistency;
import io.weir.OnFailure;
import java.util.Locale;

/** How seriously a rule is taken, and what holds when its store cannot be asked. */
public record Policy(Mode mode, OnFailure onFailure, Consistency consistency) {
  /** Enforced, allowed on failure, exact. */
  public static final Policy DEFAULT = new Policy(Mode.ENFORCE, OnFailure.ALLOW, Consistency.EXACT);

  /** The same policy in another mode. */
  public Policy with(Mode changed) {
    return new Policy(changed, onFailure, consistency);
  }

  /** Whether a rule decides. */
  public enum Mode {
    /** It decides. */
    ENFORCE,
    /** It is charged and reported, but refuses nobody. */
    SHADOW,
    /** It is not there. */
    OFF;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
