package io.weir.rules.replay;

import java.time.Instant;

/**
 * Parses times from bytes without allocation: milliseconds since the epoch, ISO 8601, and the times
 * of access logs.
 */
final class TimestampParser {
  /** The result for text that is not a time. */
  static final long NO_TIME = Long.MIN_VALUE;

  /** The result for a time outside the range of timelines. */
  static final long OUT_OF_RANGE = Long.MIN_VALUE + 1;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long EARLIEST_SECOND =
      Instant.parse("1961-01-01T00:00:00Z").getEpochSecond();
  private static final long LATEST_SECOND = Instant.parse("2099-01-01T00:00:00Z").getEpochSecond();
  private static final long MAX_MILLIS = LATEST_SECOND * 1000;
  private static final int DATE_LENGTH = "2026-05-04".length();
  private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

  private TimestampParser() {}

  /** A time in a CSV cell, in nanoseconds since the epoch. */
  static long ofCell(byte[] bytes, int from, int to) {
    boolean negative = from < to && bytes[from] == '-';
    long number = 0;
    for (int i = negative ? from + 1 : from; i < to; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        return ofIso(bytes, from, to);
      }
      number = Math.min(number * 10 + digit, MAX_MILLIS + 1);
    }
    if (from + (negative ? 1 : 0) >= to) {
      return NO_TIME;
    }
    long millis = negative ? -number : number;
    return millis > MAX_MILLIS || millis < EARLIEST_SECOND * 1000
        ? OUT_OF_RANGE
        : millis * NANOS_PER_MILLI;
  }

  /**
   * {@code 2026-05-04T12:00:00.123+02:00}: fraction, seconds and offset are optional, and so is
   * everything after the date. Without an offset it is UTC.
   */
  static long ofIso(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length == DATE_LENGTH) {
      return ofDate(bytes, from);
    }
    if (length < 16
        || bytes[from + 4] != '-'
        || bytes[from + 7] != '-'
        || bytes[from + 13] != ':'
        || (bytes[from + 10] != 'T' && bytes[from + 10] != 't' && bytes[from + 10] != ' ')) {
      return NO_TIME;
    }
    int year = number(bytes, from, 4);
    int month = number(bytes, from + 5, 2);
    int day = number(bytes, from + 8, 2);
    int hour = number(bytes, from + 11, 2);
    int minute = number(bytes, from + 14, 2);
    int second = 0;
    int at = from + 16;
    long nanos = 0;
    if (at < to && bytes[at] == ':') {
      if (to - at < 3) {
        return NO_TIME;
      }
      second = number(bytes, at + 1, 2);
      at += 3;
      if (at < to && (bytes[at] == '.' || bytes[at] == ',')) {
        int digits = 0;
        for (at++; at < to && isDigit(bytes[at]); at++, digits++) {
          if (digits < 9) {
            nanos = nanos * 10 + bytes[at] - '0';
          }
        }
        if (digits == 0) {
          return NO_TIME;
        }
        for (; digits < 9; digits++) {
          nanos *= 10;
        }
      }
    }
    long offset = offset(bytes, at, to);
    if (offset == NO_TIME) {
      return NO_TIME;
    }
    long seconds = seconds(year, month, day, hour, minute, second);
    return seconds == NO_TIME ? NO_TIME : nanos(seconds - offset, nanos);
  }

  private static long ofDate(byte[] bytes, int from) {
    if (bytes[from + 4] != '-' || bytes[from + 7] != '-') {
      return NO_TIME;
    }
    long seconds =
        seconds(
            number(bytes, from, 4),
            number(bytes, from + 5, 2),
            number(bytes, from + 8, 2),
            0,
            0,
            0);
    return seconds == NO_TIME ? NO_TIME : nanos(seconds, 0);
  }

  /** How many bytes {@link #ofLog} reads. */
  static final int LOG_LENGTH = "10/Oct/2000:13:55:36 -0700".length();

  /** {@code 10/Oct/2000:13:55:36 -0700}. */
  static long ofLog(byte[] bytes, int from) {
    if (bytes[from + 2] != '/'
        || bytes[from + 6] != '/'
        || bytes[from + 11] != ':'
        || bytes[from + 14] != ':'
        || bytes[from + 17] != ':'
        || bytes[from + 20] != ' ') {
      return NO_TIME;
    }
    long offset = offset(bytes, from + 21, from + 26);
    long seconds =
        seconds(
            number(bytes, from + 7, 4),
            month(bytes, from + 3),
            number(bytes, from, 2),
            number(bytes, from + 12, 2),
            number(bytes, from + 15, 2),
            number(bytes, from + 18, 2));
    return offset == NO_TIME || seconds == NO_TIME ? NO_TIME : nanos(seconds - offset, 0);
  }

  private static long nanos(long seconds, long nanos) {
    return seconds > LATEST_SECOND || seconds < EARLIEST_SECOND
        ? OUT_OF_RANGE
        : seconds * NANOS_PER_SECOND + nanos;
  }

  /** {@code Z}, {@code +02}, {@code +0200}, {@code +02:00}, in seconds; zero if absent. */
  private static long offset(byte[] bytes, int from, int to) {
    int length = to - from;
    if (length == 0) {
      return 0;
    }
    if (length == 1 && (bytes[from] == 'Z' || bytes[from] == 'z')) {
      return 0;
    }
    if ((length != 3 && length != 5 && !(length == 6 && bytes[from + 3] == ':'))
        || (bytes[from] != '+' && bytes[from] != '-')) {
      return NO_TIME;
    }
    int hours = number(bytes, from + 1, 2);
    int minutes = length == 3 ? 0 : number(bytes, to - 2, 2);
    if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) {
      return NO_TIME;
    }
    long seconds = hours * 3600L + minutes * 60L;
    return bytes[from] == '-' ? -seconds : seconds;
  }

  /** Seconds since the epoch; a leap second 60 is the first second of the next minute. */
  private static long seconds(int year, int month, int day, int hour, int minute, int second) {
    if (year < 0
        || month < 1
        || month > 12
        || day < 1
        || day > daysIn(year, month)
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59
        || second < 0
        || second > 60) {
      return NO_TIME;
    }
    return epochDay(year, month, day) * 86_400 + hour * 3600L + minute * 60L + second;
  }

  /**
   * Days since the epoch. Years start in March, so that the leap day is the last of a year and
   * months have 153 days in every five; 719,468 days lie between the first of March of the year 0
   * and the epoch.
   */
  private static long epochDay(int year, int month, int day) {
    int y = month <= 2 ? year - 1 : year;
    int monthFromMarch = month <= 2 ? month + 9 : month - 3;
    int dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1;
    return 365L * y
        + Math.floorDiv(y, 4)
        - Math.floorDiv(y, 100)
        + Math.floorDiv(y, 400)
        + dayOfYear
        - 719_468;
  }

  private static int daysIn(int year, int month) {
    return switch (month) {
      case 2 -> year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  private static int month(byte[] bytes, int from) {
    for (int i = 0; i < MONTHS.length(); i += 3) {
      if (bytes[from] == MONTHS.charAt(i)
          && bytes[from + 1] == MONTHS.charAt(i + 1)
          && bytes[from + 2] == MONTHS.charAt(i + 2)) {
        return i / 3 + 1;
      }
    }
    return -1;
  }

  /** A number with that many digits; negative if invalid. */
  private static int number(byte[] bytes, int from, int digits) {
    int number = 0;
    for (int i = from; i < from + digits; i++) {
      if (!isDigit(bytes[i])) {
        return -1;
      }
      number = number * 10 + bytes[i] - '0';
    }
    return number;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
