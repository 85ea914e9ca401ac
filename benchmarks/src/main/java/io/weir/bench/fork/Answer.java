package io.weir.bench.fork;

import java.util.List;

/** One line that a measuring JVM said. */
public record Answer(List<String> words) {
  /** What the line is about. */
  public String subject() {
    return words.get(0);
  }

  /** The i-th word after the subject. */
  public String text(int i) {
    return words.get(i + 1);
  }

  /** The i-th word after the subject, a number. */
  public double number(int i) {
    return Double.parseDouble(text(i));
  }

  /** The i-th word after the subject, a whole number. */
  public long whole(int i) {
    return Long.parseLong(text(i));
  }
}
