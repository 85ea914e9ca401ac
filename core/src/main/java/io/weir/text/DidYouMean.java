package io.weir.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** Suggests words for a misspelled one. */
public final class DidYouMean {
  private static final int MAX_WORD_LENGTH = 100;
  private static final int MAX_GUESSES = 3;

  private DidYouMean() {}

  /**
   * The end of an error message. It is {@code "; did you mean 'demo'?"} if a candidate differs from
   * {@code word} in two letters or in a third of them but not in all. Otherwise it suggests up to
   * three candidates that have {@code word} as one of their parts, as {@code gateway-port} has
   * {@code port}. Otherwise it is empty.
   */
  public static String of(String word, Collection<String> candidates) {
    if (word.length() > MAX_WORD_LENGTH) {
      return "";
    }
    String closest = closest(word, candidates);
    return closest.isEmpty() ? anyOf(withPart(word, candidates)) : anyOf(List.of(closest));
  }

  private static String closest(String word, Collection<String> candidates) {
    String closest = "";
    int smallestDistance = Math.min(Math.max(2, word.length() / 3) + 1, word.length());
    for (String candidate : candidates) {
      int distance = distance(word, candidate);
      if (distance < smallestDistance) {
        smallestDistance = distance;
        closest = candidate;
      }
    }
    return closest;
  }

  private static List<String> withPart(String word, Collection<String> candidates) {
    String part = word.replaceFirst("^--?", "");
    List<String> found = new ArrayList<>();
    for (String candidate : candidates) {
      if (part.length() > 1 && Arrays.asList(candidate.split("[-_]")).contains(part)) {
        found.add(candidate);
      }
    }
    return found.subList(0, Math.min(MAX_GUESSES, found.size()));
  }

  /** The end of an error message that suggests some words; empty if there are none. */
  public static String anyOf(List<String> guesses) {
    if (guesses.isEmpty()) {
      return "";
    }
    String last = "'" + guesses.get(guesses.size() - 1) + "'";
    String others = String.join("', '", guesses.subList(0, guesses.size() - 1));
    return "; did you mean " + (others.isEmpty() ? last : "'" + others + "' or " + last) + "?";
  }

  /** How many letters have to be inserted, removed or changed (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
