package io.weir;

import java.util.Locale;

/** The decision when the store is unavailable. */
public enum OnFailure {
  /** Allows the request. */
  ALLOW,
  /** Refuses the request. */
  DENY,
  /** Decides by a local share of the limit. */
  LOCAL,
  /** Refuses, and the front end reports that the limiter is unavailable. */
  ERROR;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
