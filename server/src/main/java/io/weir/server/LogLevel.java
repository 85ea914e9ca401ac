package io.weir.server;

/** From which level on lines are logged. */
public enum LogLevel {
  /** Also what only helps to find a mistake in Weir. */
  DEBUG,
  /** Also what is as it should be: starts, reloads, summaries. */
  INFO,
  /** What needs a look. */
  WARN,
  /** What has failed. */
  ERROR
}
