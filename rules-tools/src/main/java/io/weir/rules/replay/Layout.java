package io.weir.rules.replay;

import io.weir.rules.AttributeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the rows of a format in bytes, and values in rows. */
interface Layout {
  /** The attributes that a row may have, in the order of the columns. */
  List<String> attributes();

  /** The number of cells recorded per row. */
  int cells();

  /**
   * Adds the rows between {@code from} and {@code to} to {@code block}.
   *
   * @param atEnd whether no bytes follow, so the last row needs no line end
   * @return the start of the first incomplete row; {@code to} if there is none
   */
  int read(Block block, int from, int to, boolean atEnd, BadLineCounter faults);

  /** The cell of an attribute; −1 if there is none. */
  int cellOf(String attribute);

  /** The text of a cell; null if it is absent. */
  @Nullable String text(Block block, int row, int cell);

  /** The value of an attribute with a field of an HTTP request as its source. */
  @Nullable String field(Row row, String attribute, AttributeSource.Field field);
}
