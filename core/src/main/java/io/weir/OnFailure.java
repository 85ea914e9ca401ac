package io.weir;

import java.util.Locale;

/** What is decided when the store cannot be asked. */
public enum OnFailure {
  /** Yes. */
  ALLOW,
  /** No. */
  DENY,
  /** What a local share of the limit says. */
  LOCAL,
  /** No, and who asks for the caller is to tell that the limiter is unavailable. */
  ERROR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
