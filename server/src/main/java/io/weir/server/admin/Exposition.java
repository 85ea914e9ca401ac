package io.weir.server.admin;

/** Writes metrics in the text format of Prometheus, version 0.0.4. */
final class Exposition {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final StringBuilder out = new StringBuilder(4096);

  /** Begins a metric; its samples follow. */
  Exposition metric(String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    return this;
  }

  /** A sample; labels are names and values in turn. */
  Exposition sample(String name, long value, String... labels) {
    head(name, labels).append(value).append('\n');
    return this;
  }

  /** A sample of a time, in seconds. */
  Exposition seconds(String name, long nanos, String... labels) {
    head(name, labels).append(seconds(nanos)).append('\n');
    return this;
  }

  /** Exact, and without an exponent: {@code 0.0000025}. */
  static String seconds(long nanos) {
    return java.math.BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
  }

  private StringBuilder head(String name, String[] labels) {
    out.append(name);
    for (int i = 0; i < labels.length; i += 2) {
      out.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
      escape(labels[i + 1]);
      out.append('"');
    }
    return out.append(labels.length == 0 ? " " : "} ");
  }

  private void escape(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> out.append("\\\\");
        case '"' -> out.append("\\\"");
        case '\n' -> out.append("\\n");
        default -> out.append(c);
      }
    }
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
