package io.weir.cli.top;

/** What somebody pressed, or what else there is to react to. */
enum Key {
  UP,
  DOWN,
  LEFT,
  RIGHT,
  QUIT,
  SORT,
  RULE,
  /** The next list. */
  TAB,
  ENTER,
  RESET,
  GRANT,
  /** Out of what was chosen. */
  BACK,
  /** The size of the terminal is another, or somebody else has drawn on it. */
  RESIZED,
  /** There is something new to show. */
  NEWS
}
