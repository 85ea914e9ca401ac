package io.weir.bench.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** An enum with constants that can be named on the command line. */
public interface Choice {
  /** As enums have it. */
  String name();

  /** The name on the command line. */
  default String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The one of {@code all} with this {@code id}.
   *
   * @param what what they are, for the error message
   */
  static <T extends Choice> T of(T[] all, String what, String id) {
    return Arrays.stream(all)
        .filter(each -> each.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown %s '%s'; known are: %s".formatted(what, id, ids(all))));
  }

  /** The names of all of them, in a row. */
  static String ids(Choice[] all) {
    return Arrays.stream(all).map(Choice::id).collect(Collectors.joining(" "));
  }
}
