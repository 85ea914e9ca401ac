package io.weir.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text from outside the program, shown in a terminal. */
class TerminalSanitizerTest {
  @Test
  void removesTerminalControlSequences() {
    assertThat(TerminalSanitizer.text("a\u001b[2J\u0007\n\u009b\u202eb\u2028é漢😀"))
        .isEqualTo("a?[2J????b?é漢😀");
    assertThat(JsonValue.of("{\"a\":\"\\u001B[2J\\uD83D\\uDE00\"}").at("a").text())
        .isEqualTo("?[2J😀");
  }
}
