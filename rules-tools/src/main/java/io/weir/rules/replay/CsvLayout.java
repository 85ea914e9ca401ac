package io.weir.rules.replay;

import io.weir.rules.AttributeSource;
import io.weir.rules.text.CsvCell;
import io.weir.rules.text.Excerpt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Comma-separated values with a header line, as in RFC 4180: cells may be quoted, and quoted ones
 * may contain commas, line ends and doubled quotes.
 *
 * <p>An empty cell is an absent attribute. If the quotes of a row are invalid, only its first line
 * is dropped, and the next row is expected right after it.
 */
final class CsvLayout implements Layout {
  private static final String TIME = "time";
  private static final String COST = "cost";

  /** Far more than needed; each costs a few bytes for every row in memory. */
  private static final int MAX_COLUMNS = 10_000;

  private final int columns;
  private final int time;
  private final int cost;
  private final List<String> attributes;
  private final Map<String, Integer> cells = new HashMap<>();

  private CsvLayout(List<String> names) {
    this.columns = names.size();
    this.time = names.indexOf(TIME);
    this.cost = names.indexOf(COST);
    List<String> others = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      String name = names.get(i);
      if (i != time && i != cost && !name.isEmpty()) {
        others.add(name);
        cells.put(name, i);
      }
    }
    this.attributes = List.copyOf(others);
  }

  /**
   * The layout for a header.
   *
   * @throws IllegalArgumentException if the header is invalid; the message says why
   */
  static CsvLayout of(List<String> names) {
    if (names.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "the header line names %d columns; %d are the most that a trace may have"
              .formatted(names.size(), MAX_COLUMNS));
    }
    if (!names.contains(TIME)) {
      throw new IllegalArgumentException(
          "the header line names no column 'time', but "
              + Excerpt.of(String.join(", ", names))
              + ("; a trace needs the time of each request, in milliseconds since the epoch or in"
                  + " ISO 8601"));
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!name.isEmpty() && !seen.add(name)) {
        throw new IllegalArgumentException(
            "the header line names column '" + Excerpt.of(name) + "' twice");
      }
    }
    return new CsvLayout(names);
  }

  /**
   * A header line.
   *
   * @param names its cells, trimmed
   * @param end where it ends
   * @param lines how many lines it takes
   */
  record Header(List<String> names, int end, long lines) {}

  /** The header line at {@code from}; null if it is incomplete or not CSV. */
  static @Nullable Header header(byte[] bytes, int from, int to) {
    List<String> names = new ArrayList<>();
    long lines = 1;
    int at = from;
    while (true) {
      CsvCell cell = new CsvCell(bytes, at, to);
      int end = cell.isClosed() ? endOf(cell, bytes, to) : -1;
      if (end < 0) {
        return null;
      }
      names.add(cell.text().strip());
      lines += cell.lineEnds();
      if (end == to || bytes[end] == '\n') {
        return new Header(names, Math.min(end + 1, to), lines);
      }
      at = end + 1;
    }
  }

  @Override
  public List<String> attributes() {
    return attributes;
  }

  @Override
  public int cells() {
    return columns;
  }

  @Override
  public int cellOf(String attribute) {
    Integer cell = cells.get(attribute);
    return cell == null ? -1 : cell;
  }

  @Override
  public @Nullable String text(Block block, int row, int cell) {
    int from = block.from(row, cell);
    int to = block.to(row, cell);
    return from == to ? null : CsvCell.text(block.bytes(), from, to);
  }

  @Override
  public @Nullable String field(Row row, String attribute, AttributeSource.Field field) {
    return row.attribute(attribute);
  }

  @Override
  public int read(Block block, int from, int to, boolean atEnd, BadLineCounter faults) {
    int at = from;
    while (at < to) {
      int next = readRow(block, at, to, atEnd, faults);
      if (next < 0) {
        return at;
      }
      at = next;
    }
    return at;
  }

  /** Reads one row; returns the start of the next, or −1 if the row is incomplete. */
  private int readRow(Block block, int from, int to, boolean atEnd, BadLineCounter faults) {
    byte[] bytes = block.bytes();
    int cell = 0;
    int at = from;
    long lines = 1;
    while (true) {
      int cellFrom = at;
      int cellTo;
      if (at < to && bytes[at] == '"') {
        CsvCell quoted = new CsvCell(bytes, at, to);
        int end = quoted.isClosed() ? endOf(quoted, bytes, to) : to;
        if (end < 0 || (!quoted.isClosed() && atEnd)) {
          return giveUp(block, from, to, atEnd, faults);
        }
        if (end == to && !atEnd) {
          return -1;
        }
        cellFrom = quoted.from();
        cellTo = quoted.to();
        lines += quoted.lineEnds();
        at = end;
      } else {
        while (at < to) {
          byte b = bytes[at];
          if (b <= ',' && (b == ',' || b == '\n')) {
            break;
          }
          at++;
        }
        if (at == to && !atEnd) {
          return -1;
        }
        boolean isLast = at == to || bytes[at] == '\n';
        cellTo = isLast && at > cellFrom && bytes[at - 1] == '\r' ? at - 1 : at;
      }
      if (cell < columns) {
        block.cell(cell, cellFrom, cellTo);
      }
      cell++;
      if (at == to || bytes[at] == '\n') {
        break;
      }
      at++;
    }
    finishRow(block, cell, lines, at - from, faults);
    return at == to ? to : at + 1;
  }

  private void finishRow(Block block, int found, long lines, int length, BadLineCounter faults) {
    long line = block.line();
    block.nextLine(lines);
    int row = block.rows();
    if (found == 1 && block.from(row, 0) == block.to(row, 0) && columns > 1) {
      return; // an empty line
    }
    if (length > Trace.MAX_LINE_BYTES) {
      faults.add(line, () -> Trace.TOO_LONG);
      return;
    }
    if (found != columns) {
      faults.add(line, () -> "has " + cells(found) + ", but the header line has " + columns);
      return;
    }
    byte[] bytes = block.bytes();
    int from = skipSpaces(bytes, block.from(row, time), block.to(row, time));
    int to = dropSpaces(bytes, from, block.to(row, time));
    long nanos = to < 0 ? TimestampParser.NO_TIME : TimestampParser.ofCell(bytes, from, to);
    if (nanos == TimestampParser.NO_TIME || nanos == TimestampParser.OUT_OF_RANGE) {
      if (columns > 1 || to != from) {
        faults.add(line, () -> faultOfTime(bytes, from, to, nanos));
      }
      return;
    }
    long permits = cost < 0 ? 1 : cost(bytes, block.from(row, cost), block.to(row, cost));
    if (permits < 0) {
      faults.add(line, () -> faultOfCost(block, row));
      return;
    }
    block.add(line, nanos, permits);
  }

  private static String cells(int count) {
    return count == 1 ? "1 cell" : count + " cells";
  }

  static String faultOfTime(byte[] bytes, int from, int to, long nanos) {
    if (from == to) {
      return "no time";
    }
    String shown = "'" + Excerpt.of(bytes, from, to < 0 ? ~to : to) + "'";
    return nanos == TimestampParser.OUT_OF_RANGE
        ? "time " + shown + " is not between 1961 and 2099"
        : "time "
            + shown
            + " is neither milliseconds since the epoch nor ISO 8601, such as 2026-05-04T12:00:00Z";
  }

  private String faultOfCost(Block block, int row) {
    String shown = CsvCell.text(block.bytes(), block.from(row, cost), block.to(row, cost));
    return "cost '" + Excerpt.of(shown) + "' is not a whole number from 0 up";
  }

  /** −1 if it is not a cost. */
  private static long cost(byte[] bytes, int cellFrom, int cellTo) {
    int from = skipSpaces(bytes, cellFrom, cellTo);
    int to = dropSpaces(bytes, from, cellTo);
    if (to < 0 || to - from > 18) {
      return -1;
    }
    long number = from == to ? 1 : 0;
    for (int i = from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private static int skipSpaces(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] == ' ') {
      at++;
    }
    return at;
  }

  private static int dropSpaces(byte[] bytes, int from, int to) {
    int at = to;
    while (at > from && bytes[at - 1] == ' ') {
      at--;
    }
    return at;
  }

  /** Drops the row's first line; returns the start of the next line, −1 if that is unknown. */
  private static int giveUp(Block block, int from, int to, boolean atEnd, BadLineCounter faults) {
    int end = from;
    while (end < to && block.bytes()[end] != '\n') {
      end++;
    }
    if (end == to && !atEnd) {
      return -1;
    }
    faults.add(block.line(), () -> "a quote is not closed, or not followed by a comma");
    block.nextLine(1);
    return Math.min(end + 1, to);
  }

  /** Where a quoted cell ends, after a carriage return; −1 if another byte follows it. */
  private static int endOf(CsvCell quoted, byte[] bytes, int limit) {
    int end = quoted.end();
    if (end < limit && bytes[end] == '\r') {
      end++;
    }
    return end == limit || bytes[end] == '\n' || bytes[end] == ',' ? end : -1;
  }
}
