package io.weir.bench.cli;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** The words of a command line, one after the other. */
public final class ArgumentReader {
  private static final String NUMBER = "[1-9][0-9]{0,5}";

  private final Iterator<String> rest;
  private String last = "";

  /** Takes all words. */
  public ArgumentReader(List<String> words) {
    rest = words.iterator();
  }

  /** Whether there are more. */
  public boolean hasNext() {
    return rest.hasNext();
  }

  /** The next word: an option or a command. */
  public String next() {
    last = rest.next();
    return last;
  }

  /** The value of the option that was {@link #next}. */
  public String value() {
    if (!rest.hasNext()) {
      throw new IllegalArgumentException(last + " needs a value");
    }
    return rest.next();
  }

  /** Its value, split at commas. */
  public List<String> values() {
    return List.of(value().split(","));
  }

  /** Its value, a file or directory. */
  public Path path() {
    return Path.of(value());
  }

  /** Its value, a whole number above 0. */
  public int positive() {
    String value = value();
    if (!value.matches(NUMBER)) {
      throw new IllegalArgumentException(
          last + " needs a whole number from 1 to 999999, not '" + value + "'");
    }
    return Integer.parseInt(value);
  }

  /** Rejects a word that looks like an option, since no such option exists. */
  public static String requireNoOption(String word) {
    if (word.startsWith("-")) {
      throw new IllegalArgumentException("unknown option '" + word + "'");
    }
    return word;
  }
}
