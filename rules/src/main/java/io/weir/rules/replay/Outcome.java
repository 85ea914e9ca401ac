package io.weir.rules.replay;

import java.util.Locale;

/** What became of a request: exactly one of these. */
public enum Outcome {
  /** It went at once. */
  ALLOWED,
  /** It went after a delay, in its turn. */
  DELAYED,
  /** A rule that is only tried would have refused it; it went. */
  SHADOW_REFUSED,
  /** It was refused. */
  REFUSED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
