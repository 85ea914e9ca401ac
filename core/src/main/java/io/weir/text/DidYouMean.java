package io.weir.text;

import java.util.Collection;

/** Guesses which word was meant. */
public final class DidYouMean {
  private static final int LONGEST_WORD = 100;

  private DidYouMean() {}

  /**
   * The end of an error message: {@code "; did you mean 'demo'?"} if a candidate differs from
   * {@code word} in two letters or in a third of them but not in all, or empty.
   */
  public static String of(String word, Collection<String> candidates) {
    if (word.length() > LONGEST_WORD) {
      return "";
    }
    String closest = "";
    int least = Math.min(Math.max(2, word.length() / 3) + 1, word.length());
    for (String candidate : candidates) {
      int distance = distance(word, candidate);
      if (distance < least) {
        least = distance;
        closest = candidate;
      }
    }
    return closest.isEmpty() ? "" : "; did you mean '" + closest + "'?";
  }

  /** How many letters have to be put in, left out or changed (Levenshtein). */
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
