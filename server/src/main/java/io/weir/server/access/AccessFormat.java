package io.weir.server.access;

/** The format of access log lines. */
public enum AccessFormat {
  /** Address, time, request line, status and bytes, as most servers write them. */
  COMMON,
  /** {@link #COMMON} with the referrer and the user agent. */
  COMBINED,
  /** A JSON object with the names of the Elastic Common Schema. */
  JSON
}
