package io.weir.rules.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExcerptTest {
  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of("plain", "plain"),
        Arguments.of("é😀", "é😀"),
        Arguments.of("a\nb\tc\r", "a\\nb\\tc\\r"),
        Arguments.of("\0\033[2J", "\\u0000\\u001B[2J"),
        Arguments.of("\u202e", "\\u202E"),
        Arguments.of("\u009b", "\\u009B"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void escapesInvisibleCharacters(String text, String shown) {
    assertThat(Excerpt.of(text)).isEqualTo(shown);
    assertThat(Excerpt.quoted(text)).isEqualTo("'" + shown + "'");
    byte[] bytes = ("xx" + text + "yy").getBytes(UTF_8);
    assertThat(Excerpt.of(bytes, 2, bytes.length - 2)).isEqualTo(shown);
  }

  @Test
  void shortens() {
    assertThat(Excerpt.of("a".repeat(60))).isEqualTo("a".repeat(60));
    assertThat(Excerpt.of("a".repeat(61))).isEqualTo("a".repeat(60) + "…");
    assertThat(Excerpt.of("abc", 2)).isEqualTo("ab…");
    byte[] smiles = "😀".repeat(100).getBytes(UTF_8);
    assertThat(Excerpt.of(smiles, 0, smiles.length)).isEqualTo("😀".repeat(30) + "…");
    assertThat(Excerpt.of(smiles, 5, 5)).isEmpty();
  }
}
