package io.weir.logs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lines of the log, as programs read them. */
class JsonLinesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void aLineIsAnObjectWithTheFieldsOfItsEntry() throws Exception {
    Entry entry =
        Entry.of("3 {0} 'rules'")
            .with("rule", "a\"b\n\u0007")
            .with("refused", 312)
            .with("on", true)
            .with("added", List.of("x", "y"))
            .with("changes", List.of(Entry.of("a → b").with("before", "a").with("after", "b")));
    LogRecord line = line(Level.INFO, "{0}");
    line.setParameters(new Object[] {entry});
    line.setInstant(Instant.parse("2026-11-16T06:41:00.123456Z"));

    String text = new JsonLines().format(line);

    assertThat(text).endsWith("\n").hasLineCount(1);
    assertThat(JSON.readTree(text))
        .isEqualTo(
            JSON.readTree(
                """
                {"time":"2026-11-16T06:41:00.123Z","level":"info","logger":"io.weir.test",
                 "message":"3 {0} 'rules'",
                 "fields":{"rule":"a\\"b\\n\\u0007","refused":312,"on":true,"added":["x","y"],
                 "changes":[{"before":"a","after":"b"}]}}
                """));
  }

  @Test
  void whatWasThrownIsInTheLineButNotEndlessly() throws Exception {
    LogRecord line = line(Level.SEVERE, "it broke");
    line.setThrown(new IllegalStateException("x".repeat(100_000)));

    String text = new JsonLines().format(line);

    assertThat(text).hasLineCount(1).hasSizeLessThan(10_000);
    JsonNode read = JSON.readTree(text);
    assertThat(read.get("message").asText()).isEqualTo("it broke");
    assertThat(read.get("error").asText()).startsWith("java.lang.IllegalStateException: xxx");
    assertThat(read.has("fields")).isFalse();
  }

  @Test
  void aListIsCut() throws Exception {
    LogRecord line = line(Level.INFO, "{0}");
    line.setParameters(
        new Object[] {Entry.of("many").with("names", java.util.Collections.nCopies(10_000, "n"))});

    assertThat(JSON.readTree(new JsonLines().format(line)).at("/fields/names")).hasSize(50);
  }

  @ParameterizedTest
  @CsvSource({"SEVERE,error", "WARNING,warn", "INFO,info", "CONFIG,debug", "FINEST,debug"})
  void levelsAreThoseOfMostPrograms(String level, String told) throws Exception {
    String text = new JsonLines().format(line(Level.parse(level), "text"));
    assertThat(JSON.readTree(text).get("level").asText()).isEqualTo(told);
  }

  private static LogRecord line(Level level, String message) {
    LogRecord line = new LogRecord(level, message);
    line.setLoggerName("io.weir.test");
    return line;
  }
}
