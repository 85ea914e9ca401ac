package io.weir.cli.top;

/** A key press, or another event to react to. */
enum KeyPress {
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
  /** Leaves the selection. */
  BACK,
  /** The size of the terminal has changed, or another program has drawn on it. */
  RESIZED,
  /** There is something new to show. */
  NEWS
}
