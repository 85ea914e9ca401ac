package io.weir.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.http.JsonWriter;
import org.junit.jupiter.api.Test;

/** What a node writes can be read, whatever keys callers come up with. */
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
