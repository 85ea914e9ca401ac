package io.weir.bench.fork;

import java.util.List;

/** One line of output of a measuring JVM. */
public record ChildLine(List<String> words) {
  /** The first word of the line. */
  public String subject() {
    return words.get(0);
  }

  /** The i-th word after the subject. */
  public String text(int i) {
    return words.get(i + 1);
  }

  /** The i-th word after the subject, as a number. */
  public double number(int i) {
    return Double.parseDouble(text(i));
  }

  /** The i-th word after the subject, as a whole number. */
  public long whole(int i) {
    return Long.parseLong(text(i));
  }
}
