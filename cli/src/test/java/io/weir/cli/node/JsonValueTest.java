package io.weir.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.http.JsonWriter;
import org.junit.jupiter.api.Test;

/** The output of a node can be read, whatever characters its keys have. */
class JsonValueTest {
  @Test
  void everyCharacterIsReadAsItWasWritten() {
    for (int first = 0; first < 0x10000; first += 0x100) {
      StringBuilder text = new StringBuilder();
      for (int c = first; c < first + 0x100; c++) {
        if (!Character.isSurrogate((char) c)) {
          text.append((char) c);
        }
      }
      String json = new JsonWriter().open().text("key", text.toString()).close().toString();
      assertThat(JsonValue.of(json).at("key").raw())
          .as("from %x", first)
          .isEqualTo(text.toString());
    }
  }
}
