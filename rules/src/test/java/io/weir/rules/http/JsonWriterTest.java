package io.weir.rules.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is escaped in JSON. */
class JsonWriterTest {
  private static String written(String text) {
    return new JsonWriter().open().text("k", text).close().toString();
  }

  /** A key may have any of them, and pages are read by readers that allow none of them. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0x2028, 0x2029, 0xD800, 0xDFFF, 0xFEFF, 0xFFFE, 0xFFFF
      })
  void escapesUnprintableCharacters(int c) {
    assertThat(written("a" + (char) c + "b")).isEqualTo("{\"k\":\"a\\u%04Xb\"}".formatted(c));
  }

  @Test
  void keepsPrintableCharacters() {
    assertThat(written("é\u00a0\u20ac\ufffd~")).isEqualTo("{\"k\":\"é\u00a0\u20ac\ufffd~\"}");
  }
}
