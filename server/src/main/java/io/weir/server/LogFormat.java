package io.weir.server;

/** How lines of the log are written. */
public enum LogFormat {
  /** For people: the time, the level and the text. */
  TEXT,
  /** For programs: an object of JSON for each line. */
  JSON
}
