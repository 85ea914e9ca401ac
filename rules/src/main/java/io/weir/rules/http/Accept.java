package io.weir.rules.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The media types that a request accepts. */
final class Accept {
  private Accept() {}

  /**
   * Whether {@code application/problem+json} is requested by name, with at least the preference of
   * {@code application/json}. Most requests name neither.
   */
  static boolean prefersProblem(@Nullable String accept) {
    if (accept == null || !accept.toLowerCase(Locale.ROOT).contains("problem+json")) {
      return false;
    }
    double problem = 0;
    double plain = 0;
    for (String range : accept.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = range.split(";", -1);
      if (parts[0].strip().equals("application/problem+json")) {
        problem = Math.max(problem, quality(parts));
      } else if (parts[0].strip().equals("application/json")) {
        plain = Math.max(plain, quality(parts));
      }
    }
    return problem > 0 && problem >= plain;
  }

  private static double quality(String[] parts) {
    for (String part : parts) {
      String parameter = part.strip();
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2));
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }
}
