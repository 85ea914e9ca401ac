package io.weir.bench.line;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** An enum of what can be named on the command line. */
public interface Choice {
  /** As enums have it. */
  String name();

  /** The name on the command line. */
  default String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The one of {@code all} that is called {@code id}.
   *
   * @param what what they are
   */
  static <T extends Choice> T of(T[] all, String what, String id) {
    return Arrays.stream(all)
        .filter(each -> each.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown "
                        + what
                        + " '"
                        + id
                        + "'; known are: "
                        + String.join(", ", ids(all))));
  }

  /** What all of them are called. */
  static List<String> ids(Choice[] all) {
    return Arrays.stream(all).map(Choice::id).toList();
  }
}
