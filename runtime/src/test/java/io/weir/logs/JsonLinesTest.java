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
    LogEntry logEntry =
        LogEntry.of("3 {0} 'rules'")
            .with("rule", "a\"b\n\u0007")
            .with("refused", 312)
            .with("on", true)
            .with("added", List.of("x", "y"))
            .with("changes", List.of(LogEntry.of("a → b").with("before", "a").with("after", "b")));
    LogRecord line = line(Level.INFO, "{0}");
    line.setParameters(new Object[] {logEntry});
    line.setInstant(Instant.parse("2026-11-16T06:41:00.123456Z"));

    String text = new JsonLines().format(line);

    assertThat(text).endsWith("\n").hasLineCount(1);
    assertThat(JSON.readTree(text))
        .isEqualTo(
            JSON.readTree(
                """
                {"@timestamp":"2026-11-16T06:41:00.123Z","log.level":"INFO",
                 "message":"3 {0} 'rules'","ecs.version":"8.11.0","service.name":"weir",
                 "event.dataset":"weir.log","log.logger":"io.weir.test",
                 "weir.rule":"a\\"b\\n\\u0007","weir.refused":312,"weir.on":true,
                 "weir.added":["x","y"],"weir.changes":[{"before":"a","after":"b"}]}
                """));
  }

  /** The schema's own names, where it has some. */
  @Test
  void auditFieldsHaveTheNamesOfTheSchema() throws Exception {
    LogRecord line = line(Level.INFO, "{0}");
    line.setParameters(
        new Object[] {
          LogEntry.of("reset").with("what", "reset").with("by", "192.0.2.7").with("id", "x1")
        });

    JsonNode read = JSON.readTree(new JsonLines().format(line));

    assertThat(read.get("event.action").asText()).isEqualTo("reset");
    assertThat(read.get("client.address").asText()).isEqualTo("192.0.2.7");
    assertThat(read.get("weir.id").asText()).isEqualTo("x1");
    assertThat(read.has("weir.by")).isFalse();
  }

  @Test
  void lineContainsExceptionOfLimitedLength() throws Exception {
    LogRecord line = line(Level.SEVERE, "it broke");
    line.setThrown(new IllegalStateException("x".repeat(100_000)));

    String text = new JsonLines().format(line);

    assertThat(text).hasLineCount(1).hasSizeLessThan(10_000);
    JsonNode read = JSON.readTree(text);
    assertThat(read.get("message").asText()).isEqualTo("it broke");
    assertThat(read.get("error.type").asText()).isEqualTo("java.lang.IllegalStateException");
    assertThat(read.get("error.message").asText()).startsWith("xxx").hasSize(1000);
    assertThat(read.get("error.stack_trace").asText())
        .startsWith("java.lang.IllegalStateException: xxx");
  }

  @Test
  void limitsLengthOfList() throws Exception {
    LogRecord line = line(Level.INFO, "{0}");
    line.setParameters(
        new Object[] {
          LogEntry.of("many").with("names", java.util.Collections.nCopies(10_000, "n"))
        });

    assertThat(JSON.readTree(new JsonLines().format(line)).get("weir.names")).hasSize(50);
  }

  @ParameterizedTest
  @CsvSource({"SEVERE,ERROR", "WARNING,WARN", "INFO,INFO", "CONFIG,DEBUG", "FINEST,DEBUG"})
  void levelsAreThoseOfMostPrograms(String level, String expected) throws Exception {
    String text = new JsonLines().format(line(Level.parse(level), "text"));
    assertThat(JSON.readTree(text).get("log.level").asText()).isEqualTo(expected);
  }

  private static LogRecord line(Level level, String message) {
    LogRecord line = new LogRecord(level, message);
    line.setLoggerName("io.weir.test");
    return line;
  }
}
