package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows of one length and of the calendar: where they begin and end. */
class WindowsTest {
  @ParameterizedTest(name = "origin {0}")
  @ValueSource(
      longs = {
        Long.MIN_VALUE + 7000,
        -86_400_001,
        -1,
        0,
        1,
        1_790_000_000_123L,
        Long.MAX_VALUE - 30_000
      })
  void evenWindowsAreAlignedToTheEpoch(long origin) {
    Timeline timeline = new Timeline(origin);
    Windows windows = Windows.of(new Limit.Length(Duration.ofSeconds(7)), ZoneOffset.UTC, timeline);
    for (long at = 0; at < 20_000; at += 499) {
      long now = timeline.millis(origin + at);
      long index = windows.index(now);
      long start = windows.start(index);
      assertThat(now).isBetween(start, start + 6999);
      assertThat(Math.floorMod(timeline.epochMillis(start), 7000L)).isZero();
      assertThat(windows.start(index + 1)).isEqualTo(start + 7000);
      assertThat(windows.index(start)).isEqualTo(index);
      assertThat(windows.index(start - 1)).isEqualTo(index - 1);
    }
    assertThat(windows.index(0)).isNotNegative();
    assertThat(windows.largestIndex())
        .isGreaterThanOrEqualTo(windows.index(Timeline.LENGTH - 1) + 2);
  }

  @ParameterizedTest(name = "{0} in {1}: {2} begins at {3}, has {4} minutes")
  @CsvSource({
    // ordinary
    "DAY,   UTC,                 2026-11-15T23:59:59.999Z, 2026-11-15T00:00:00Z,     1440",
    "DAY,   UTC,                 2026-11-16T00:00:00Z,     2026-11-16T00:00:00Z,     1440",
    "DAY,   UTC,                 1969-12-31T23:59:59.999Z, 1969-12-31T00:00:00Z,     1440",
    "WEEK,  UTC,                 2026-11-15T23:59:59.999Z, 2026-11-09T00:00:00Z,    10080",
    "WEEK,  UTC,                 2026-11-16T00:00:00Z,     2026-11-16T00:00:00Z,    10080",
    "WEEK,  UTC,                 1970-01-01T00:00:00Z,     1969-12-29T00:00:00Z,    10080",
    "WEEK,  UTC,                 1969-12-28T23:59:59Z,     1969-12-22T00:00:00Z,    10080",
    "MONTH, UTC,                 2024-02-29T12:00:00Z,     2024-02-01T00:00:00Z,    41760",
    "MONTH, UTC,                 2026-02-28T23:59:59.999Z, 2026-02-01T00:00:00Z,    40320",
    "MONTH, UTC,                 1969-12-31T23:59:59.999Z, 1969-12-01T00:00:00Z,    44640",
    "YEAR,  UTC,                 2024-12-31T23:59:59.999Z, 2024-01-01T00:00:00Z,   527040",
    "YEAR,  UTC,                 1969-06-01T00:00:00Z,     1969-01-01T00:00:00Z,   525600",
    "DAY,   Asia/Kathmandu,      2026-11-15T18:14:59Z,     2026-11-14T18:15:00Z,     1440",
    "DAY,   Pacific/Kiritimati,  2026-11-15T10:00:00Z,     2026-11-15T10:00:00Z,     1440",
    // an hour less, an hour more, by night
    "DAY,   Europe/Paris,        2026-03-29T11:00:00Z,     2026-03-28T23:00:00Z,     1380",
    "DAY,   Europe/Paris,        2026-10-25T11:00:00Z,     2026-10-24T22:00:00Z,     1500",
    "WEEK,  Europe/Paris,        2026-03-29T11:00:00Z,     2026-03-22T23:00:00Z,    10020",
    "MONTH, Europe/Paris,        2026-10-31T11:00:00Z,     2026-09-30T22:00:00Z,    44700",
    "DAY,   Australia/Lord_Howe, 2026-10-03T18:00:00Z,     2026-10-03T13:30:00Z,     1410",
    // midnight does not exist: the day begins at one
    "DAY,   America/Sao_Paulo,   2018-11-04T12:00:00Z,     2018-11-04T03:00:00Z,     1380",
    "DAY,   America/Sao_Paulo,   2018-11-04T02:59:59.999Z, 2018-11-03T03:00:00Z,     1440",
    "DAY,   Africa/Cairo,        2024-04-26T12:00:00Z,     2024-04-25T22:00:00Z,     1380",
    "DAY,   Asia/Beirut,         2024-03-31T12:00:00Z,     2024-03-30T22:00:00Z,     1380",
    // from midnight back to eleven: the day before has 25 hours
    "DAY,   America/Sao_Paulo,   2018-02-18T02:30:00Z,     2018-02-17T02:00:00Z,     1500",
    "DAY,   America/Sao_Paulo,   2018-02-18T03:00:00Z,     2018-02-18T03:00:00Z,     1440",
    "DAY,   Africa/Cairo,        2023-10-26T21:30:00Z,     2023-10-25T21:00:00Z,     1500",
    "DAY,   Asia/Beirut,         2024-10-26T21:30:00Z,     2024-10-25T21:00:00Z,     1500",
    // from a minute past midnight back to 23:01: the new day has begun, and goes on
    "DAY,   America/St_Johns,    2010-11-07T02:29:59.999Z, 2010-11-06T02:30:00Z,     1440",
    "DAY,   America/St_Johns,    2010-11-07T02:30:30Z,     2010-11-07T02:30:00Z,     1500",
    "DAY,   America/St_Johns,    2010-11-07T02:31:00Z,     2010-11-07T02:30:00Z,     1500",
    "DAY,   America/St_Johns,    2010-11-07T03:29:59.999Z, 2010-11-07T02:30:00Z,     1500",
    "DAY,   America/St_Johns,    2010-11-07T03:30:00Z,     2010-11-07T02:30:00Z,     1500",
    "DAY,   America/St_Johns,    2010-11-08T03:30:00Z,     2010-11-08T03:30:00Z,     1440",
    "DAY,   America/St_Johns,    2010-03-14T12:00:00Z,     2010-03-14T03:30:00Z,     1380",
    // a day that was left out
    "DAY,   Pacific/Apia,        2011-12-30T09:59:59.999Z, 2011-12-29T10:00:00Z,     1440",
    "DAY,   Pacific/Apia,        2011-12-30T10:00:00Z,     2011-12-30T10:00:00Z,     1440",
    "DAY,   Pacific/Apia,        2011-12-31T10:00:00Z,     2011-12-31T10:00:00Z,     1440",
    "WEEK,  Pacific/Apia,        2011-12-30T10:00:00Z,     2011-12-26T10:00:00Z,     8640",
    // a day that came twice
    "DAY,   America/Juneau,      1867-10-19T12:00:00Z,     1867-10-18T08:57:41Z,     2880",
  })
  void calendarWindowsAreTheCalendars(
      Limit.Calendar unit, String zone, Instant at, Instant start, long minutes) {
    // The result does not depend on where the timeline begins.
    for (long offset : new long[] {-1_000_000_007L, 0, 1, 250_000_000_003L}) {
      Timeline timeline = new Timeline(at.toEpochMilli() + offset);
      Windows windows = Windows.of(unit, ZoneId.of(zone), timeline);
      long now = timeline.millis(at.toEpochMilli());
      long index = windows.index(now);
      long next = windows.index(now);
      assertThat(next).as("second call").isEqualTo(index);
      assertThat(Instant.ofEpochMilli(timeline.epochMillis(windows.start(index)))).isEqualTo(start);
      assertThat(windows.start(index + 1) - windows.start(index)).isEqualTo(minutes * 60_000);
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "America/St_Johns",
        "America/Sao_Paulo",
        "Africa/Cairo",
        "Asia/Beirut",
        "Asia/Tehran",
        "Pacific/Apia",
        "Australia/Lord_Howe",
        "Europe/London"
      })
  void walkedHourByHourWindowsFollowEachOther(String zone) {
    long from = Instant.parse("2005-01-01T00:00:00Z").toEpochMilli();
    long to = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
    Timeline timeline = new Timeline(from);
    Windows windows = Windows.of(Limit.Calendar.DAY, ZoneId.of(zone), timeline);
    long before = windows.index(timeline.millis(from));
    for (long at = from; at < to; at += 1_799_999) {
      long now = timeline.millis(at);
      long index = windows.index(now);
      assertThat(windows.start(index)).isLessThanOrEqualTo(now);
      assertThat(windows.start(index + 1)).isGreaterThan(now);
      assertThat(index).as("windows never go back").isGreaterThanOrEqualTo(before);
      before = index;
    }
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Limit.Calendar.class)
  void calendarWindowsSurviveHostileOrigins(Limit.Calendar unit) {
    for (long origin : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 1}) {
      Timeline timeline = new Timeline(origin);
      Windows windows = Windows.of(unit, ZoneId.of("Europe/Paris"), timeline);
      long now = timeline.millis(origin);
      long index = windows.index(now);
      assertThat(index).isBetween(0L, windows.largestIndex() - 2);
      assertThat(windows.start(index)).isLessThanOrEqualTo(now);
      assertThat(windows.start(index + 1)).isGreaterThan(now);
      assertThat(windows.index(1)).isNotNegative();
      assertThat(windows.index(Timeline.LENGTH - 1))
          .isLessThanOrEqualTo(windows.largestIndex() - 2);
    }
  }

  @Test
  void theRememberedWindowIsLeftOnBothSides() {
    Timeline timeline = new Timeline(0);
    Windows windows = Windows.of(Limit.Calendar.MONTH, ZoneOffset.UTC, timeline);
    long march = timeline.millis(millis("2026-03-01"));
    long index = windows.index(march);

    assertThat(windows.index(march - 1)).isEqualTo(index - 1);
    assertThat(windows.index(march)).isEqualTo(index);
    assertThat(windows.index(timeline.millis(millis("2026-04-01")) - 1)).isEqualTo(index);
    assertThat(windows.index(timeline.millis(millis("2026-04-01")))).isEqualTo(index + 1);
  }

  private static long millis(String date) {
    return LocalDate.parse(date).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }
}
