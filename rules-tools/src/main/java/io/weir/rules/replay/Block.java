package io.weir.rules.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A part of a trace: its bytes, and the positions of each row's cells.
 *
 * <p>Filled by one thread, then only read. Values become strings on demand. Strings of attributes
 * that were requested before are created while the block is filled, because that may run on another
 * thread than the decisions.
 */
final class Block {
  private static final int FIRST_ROWS = 1024;

  /** Rows with many cells are long, so a block has few of them. */
  private static final int FIRST_CELLS = 1 << 15;

  private final Layout layout;
  private final boolean[] wanted;
  private final int stride;
  private byte[] bytes;
  private long line;
  private long bytesRead;
  private int rows;
  private long[] nanos;
  private long[] costs;
  private long[] lines;
  private int[] cells;
  private @Nullable String @Nullable [][] made;

  /**
   * Creates an empty block.
   *
   * @param wanted the cells requested in this trace so far; shared by its blocks
   * @param line the line number of its first byte
   */
  Block(Layout layout, boolean[] wanted, byte[] bytes, long line) {
    this.layout = layout;
    this.wanted = wanted;
    this.stride = 2 * layout.cells();
    this.bytes = bytes;
    this.line = line;
    int room = Math.max(1, Math.min(FIRST_ROWS, FIRST_CELLS / layout.cells()));
    this.nanos = new long[room];
    this.costs = new long[room];
    this.lines = new long[room];
    this.cells = new int[room * stride];
  }

  Layout layout() {
    return layout;
  }

  byte[] bytes() {
    return bytes;
  }

  void grow(int size) {
    bytes = Arrays.copyOf(bytes, size);
  }

  /** The line that is read next. */
  long line() {
    return line;
  }

  void nextLine(long count) {
    line += count;
  }

  /** Records a cell of the current row. */
  void cell(int cell, int from, int to) {
    int at = rows * stride + 2 * cell;
    cells[at] = from;
    cells[at + 1] = to;
  }

  /** Completes the current row. */
  void add(long rowLine, long time, long cost) {
    nanos[rows] = time;
    costs[rows] = cost;
    lines[rows] = rowLine;
    rows++;
    if (rows == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * rows);
      costs = Arrays.copyOf(costs, 2 * rows);
      lines = Arrays.copyOf(lines, 2 * rows);
      cells = Arrays.copyOf(cells, 2 * rows * stride);
    }
  }

  /** Called after the last row; creates the strings of wanted cells. */
  void complete(long readSoFar) {
    bytesRead = readSoFar;
    String[][] strings = new String[wanted.length][];
    for (int cell = 0; cell < wanted.length; cell++) {
      if (wanted[cell]) {
        String[] column = new String[rows];
        for (int row = 0; row < rows; row++) {
          column[row] = layout.text(this, row, cell);
        }
        strings[cell] = column;
      }
    }
    made = strings;
  }

  /** How much of the file was read by the end of this block. */
  long bytesRead() {
    return bytesRead;
  }

  int rows() {
    return rows;
  }

  Row row(int row) {
    return new Row(this, row);
  }

  long nanos(int row) {
    return nanos[row];
  }

  long millis(int row) {
    return Math.floorDiv(nanos[row], 1_000_000L);
  }

  long cost(int row) {
    return costs[row];
  }

  long line(int row) {
    return lines[row];
  }

  int from(int row, int cell) {
    return cells[row * stride + 2 * cell];
  }

  int to(int row, int cell) {
    return cells[row * stride + 2 * cell + 1];
  }

  /** The text of a cell; null if it is absent. */
  @Nullable String text(int row, int cell) {
    String[] column = made == null ? null : made[cell];
    if (column != null) {
      return column[row];
    }
    wanted[cell] = true;
    return layout.text(this, row, cell);
  }
}
