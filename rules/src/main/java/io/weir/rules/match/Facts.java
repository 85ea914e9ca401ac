package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/** What is known of one request, by the places that attributes have been given. */
public interface Facts {
  /** The value of the attribute at {@code place}; null if the request lacks it. Never empty. */
  @Nullable String value(int place);

  /** The client's address; null if the request has none, or none that can be read. */
  @Nullable Address address();
}
