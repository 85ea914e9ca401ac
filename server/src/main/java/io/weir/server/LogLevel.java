package io.weir.server;

/** The lowest level that is logged. */
public enum LogLevel {
  /** Details for finding bugs in Weir. */
  DEBUG,
  /** Normal events: starts, reloads, summaries. */
  INFO,
  /** Events that need attention. */
  WARN,
  /** Failures. */
  ERROR
}
