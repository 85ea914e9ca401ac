package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampParserTest {
  @ParameterizedTest
  @CsvSource({
    "0, 1970-01-01T00:00:00Z",
    "-1, 1969-12-31T23:59:59.999Z",
    "1790000000123, 2026-09-21T14:13:20.123Z",
    "2026-05-04T12:00:00Z, 2026-05-04T12:00:00Z",
    "2026-05-04t12:00:00z, 2026-05-04T12:00:00Z",
    "2026-05-04 12:00:00Z, 2026-05-04T12:00:00Z",
    "2026-05-04T12:00Z, 2026-05-04T12:00:00Z",
    "2026-05-04T12:00:00.5Z, 2026-05-04T12:00:00.5Z",
    "'2026-05-04T12:00:00,5Z', 2026-05-04T12:00:00.5Z",
    "2026-05-04T12:00:00.123456789Z, 2026-05-04T12:00:00.123456789Z",
    "2026-05-04T12:00:00.1234567899Z, 2026-05-04T12:00:00.123456789Z",
    "2026-05-04T12:00:00, 2026-05-04T12:00:00Z",
    "2026-05-04 12:00:00, 2026-05-04T12:00:00Z",
    "2026-05-04T12:00:00.25, 2026-05-04T12:00:00.25Z",
    "2026-05-04T12:30, 2026-05-04T12:30:00Z",
    "2026-05-04, 2026-05-04T00:00:00Z",
    "1969-12-31, 1969-12-31T00:00:00Z",
    "2026-05-04T12:00:00+02, 2026-05-04T10:00:00Z",
    "2026-05-04T12:00:00+0230, 2026-05-04T09:30:00Z",
    "2026-05-04T12:00:00-02:30, 2026-05-04T14:30:00Z",
    "2026-12-31T23:59:60Z, 2027-01-01T00:00:00Z",
    "1969-12-31T23:59:59.25Z, 1969-12-31T23:59:59.25Z",
    "2024-02-29T00:00:00Z, 2024-02-29T00:00:00Z",
    "4070908800000, 2099-01-01T00:00:00Z",
    "-283996800000, 1961-01-01T00:00:00Z",
  })
  void readsTimes(String text, Instant expected) {
    assertThat(read(text)).isEqualTo(nanos(expected));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "x",
        "1.5",
        "+1",
        "1e3",
        "0x10",
        "12 34",
        "2026-05-4x",
        "2026-02-30",
        "2026/05/04",
        "2026-05-04T",
        "2026-05-04T12",
        "2026-05-04T12:0",
        "2026-05-04T12:00:",
        "2026-05-04T12:00:00.",
        "2026-05-04x12:00:00",
        "2026-05-04T12:00:00.Z",
        "2026-05-04T12:00:00+2",
        "2026-05-04T12:00:00+99:00",
        "2026-13-04T12:00:00Z",
        "2026-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-05-04T24:00:00Z",
        "2026-05-04T12:60:00Z",
        "2026-05-04T12:00:61Z",
        "2026-5-4T12:00:00Z",
        "2026-05-04T12:00:00Zx",
        "2026/05/04T12:00:00Z",
        "2026-05-04T12:00:0"
      })
  void refusesWhatIsNoTime(String text) {
    assertThat(read(text)).isEqualTo(TimestampParser.NO_TIME);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "4070908800001",
        "9223372036855",
        "-9223372036855",
        "99999999999999999999999999",
        "1960-12-31T23:59:59Z",
        "1676-01-01T00:00:00Z",
        "2099-01-01T00:00:01Z",
        "2263-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z"
      })
  void saysWhatIsOutOfRange(String text) {
    assertThat(read(text)).isEqualTo(TimestampParser.OUT_OF_RANGE);
  }

  @Test
  void readsWhatTheJdkWrites() {
    Random random = new Random(42);
    DateTimeFormatter log = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss xx", Locale.ENGLISH);
    for (int i = 0; i < 20_000; i++) {
      long second = random.nextLong(-283_000_000L, 4_070_000_000L);
      ZoneOffset offset = ZoneOffset.ofTotalSeconds(60 * random.nextInt(-18 * 60, 18 * 60));
      OffsetDateTime time = Instant.ofEpochSecond(second).atOffset(offset);
      String iso = DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(time);
      assertThat(read(iso)).as(iso).isEqualTo(second * 1_000_000_000);
      byte[] logged = log.format(time).getBytes(StandardCharsets.US_ASCII);
      assertThat(TimestampParser.ofLog(logged, 0))
          .as(log.format(time))
          .isEqualTo(second * 1_000_000_000);
    }
  }

  private static long read(String text) {
    byte[] bytes = ("," + text + ",").getBytes(StandardCharsets.UTF_8);
    return TimestampParser.ofCell(bytes, 1, bytes.length - 1);
  }

  private static long nanos(Instant instant) {
    return TimeUnit.SECONDS.toMicros(instant.getEpochSecond()) * 1000 + instant.getNano();
  }
}
