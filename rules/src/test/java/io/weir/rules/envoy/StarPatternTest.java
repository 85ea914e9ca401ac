package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StarPatternTest {
  @ParameterizedTest(name = "{0} on {1}: {2}")
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "foo*     | foo          | true",
        "foo*     | foobar       | true",
        "foo*     | Foobar       | false",
        "*foo     | barfoo       | true",
        "*foo     | foobar       | false",
        "*        | ''           | true",
        "*        | anything     | true",
        "**       | ''           | true",
        "a**b     | ab           | true",
        "ab*ba    | abba         | true",
        "ab*ba    | aba          | false",
        "a*b*c    | abc          | true",
        "a*b*c    | axxbyyc      | true",
        "a*b*c    | acb          | false",
        "a*bc*c   | abc          | false",
        "a*bc*c   | abcc         | true",
        "a*b*b    | ab           | false",
        "foo      | foo          | true",
        "foo      | foo1         | false",
      })
  void table(String pattern, String value, boolean expected) {
    assertThat(new StarPattern(pattern).matches(value)).isEqualTo(expected);
  }

  @Test
  void agreesWithARegularExpression() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      String pattern = word(random, "ab*", 6);
      String value = word(random, "ab", 8);
      String regex =
          Stream.of(pattern.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));

      assertThat(new StarPattern(pattern).matches(value))
          .as("%s on %s", pattern, value)
          .isEqualTo(value.matches(regex));
    }
  }

  private static String word(Random random, String letters, int maxLength) {
    StringBuilder word = new StringBuilder();
    for (int i = random.nextInt(maxLength + 1); i > 0; i--) {
      word.append(letters.charAt(random.nextInt(letters.length())));
    }
    return word.toString();
  }

  /** One that tried again would not end. */
  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void matchesManyStarsWithoutBacktracking() {
    StarPattern pattern = new StarPattern("*a".repeat(500) + "b");
    String value = "a".repeat(20_000);

    assertThat(pattern.matches(value)).isFalse();
  }
}
