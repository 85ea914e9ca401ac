package io.weir.server;

/** The format of log lines. */
public enum LogFormat {
  /** For people: the time, the level and the text. */
  TEXT,
  /** For programs: a JSON object for each line. */
  JSON
}
