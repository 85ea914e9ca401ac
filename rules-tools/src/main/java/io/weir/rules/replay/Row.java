package io.weir.rules.replay;

import io.weir.rules.AttributeSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row of a block. */
final class Row implements TraceRequest {
  private final Block block;
  private final int row;

  Row(Block block, int row) {
    this.block = block;
    this.row = row;
  }

  @Override
  public @Nullable String attribute(String name) {
    int cell = block.layout().cellOf(name);
    return cell < 0 ? null : block.text(row, cell);
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    return block.layout().field(this, name, field);
  }

  /** The text of any cell, even if it is not an attribute; null if it is absent. */
  @Nullable String cell(int cell) {
    return block.text(row, cell);
  }

  @Override
  public long cost() {
    return block.cost(row);
  }

  @Override
  public long line() {
    return block.line(row);
  }

  @Override
  public long epochNanos() {
    return block.nanos(row);
  }

  @Override
  public Map<String, String> attributes() {
    Map<String, String> attributes = new LinkedHashMap<>();
    for (String name : block.layout().attributes()) {
      String value = attribute(name);
      if (value != null) {
        attributes.put(name, value);
      }
    }
    return attributes;
  }

  @Override
  public String toString() {
    return "line " + line() + " at " + epochMillis() + ": " + attributes();
  }
}
