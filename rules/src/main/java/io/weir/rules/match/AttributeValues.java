package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/** The attributes of one request, by the places assigned to them. */
public interface AttributeValues {
  /** The value of the attribute at {@code place}; null if the request lacks it. Never empty. */
  @Nullable String value(int place);

  /** The client's address; null if the request has none, or an unreadable one. */
  @Nullable Address address();
}
