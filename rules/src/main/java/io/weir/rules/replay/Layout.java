package io.weir.rules.replay;

import io.weir.rules.AttributeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the rows of a format are found in bytes, and values in rows. */
interface Layout {
  /** The attributes that a row may have, in the order of the columns. */
  List<String> attributes();

  /** How many cells of a row are remembered. */
  int cells();

  /**
   * Adds the rows between {@code from} and {@code to} to {@code block}.
   *
   * @param atEnd whether nothing follows, so that the last row needs no end of line
   * @return where the first row begins that is not complete; {@code to} if there is none
   */
  int read(Block block, int from, int to, boolean atEnd, FaultLog faults);

  /** The cell of an attribute; −1 if there is none. */
  int cellOf(String attribute);

  /** The text of a cell; null if it is absent. */
  @Nullable String text(Block block, int row, int cell);

  /** The value of an attribute that rules find in a field of an HTTP request. */
  @Nullable String field(Row row, String attribute, AttributeSource.Field field);
}
