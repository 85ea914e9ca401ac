package io.weir.server.access;

/** How lines of the access log are written. */
public enum AccessFormat {
  /** Address, time, request line, status and bytes, as most servers write them. */
  COMMON,
  /** {@link #COMMON} with the referrer and the user agent. */
  COMBINED,
  /** An object of JSON, by the names of the Elastic Common Schema. */
  JSON
}
