package io.weir.rules.file;

import static io.weir.rules.file.InvalidFiles.wrong;
import static io.weir.rules.file.InvalidFiles.wrongField;
import static io.weir.rules.file.InvalidFiles.wrongLimit;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about each mistake in a limit or a rate, and where. */
class LimitErrorsTest {
  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource({"limits", "rates"})
  void reportsErrorAndPosition(String text, List<String> expected) {
    InvalidFiles.assertProblems(directory, text, expected);
  }

  static Stream<Arguments> limits() {
    return Stream.of(
        wrongLimit(
            "{rate: 1/s, algorithm: tokn-bucket}",
            "3:35: unknown algorithm 'tokn-bucket'; did you mean 'token-bucket'?"),
        wrongLimit(
            "{ algorithm: leaky, rate: 1/s }",
            "3:25: unknown algorithm 'leaky'; did you mean 'leaky-bucket'?"),
        wrongLimit(
            "{ algorithm: window, rate: 1/s }",
            "3:25: unknown algorithm 'window'; did you mean 'fixed-window' or 'sliding-window'?"),
        wrongLimit(
            "{rate: 1/s, algorithm: magic}",
            "3:35: unknown algorithm 'magic'; write one of token-bucket, leaky-bucket, fixed-window, sliding-log, sliding-window, sliding-epochs"),
        wrongLimit(
            "{algorithm: concurrency, max: 5}",
            "3:24: algorithm 'concurrency' is not supported yet",
            "3:37: 'max' belongs to concurrency, which is not supported yet; remove it"),
        wrongLimit(
            "{rate: 1/s, algoritm: sliding-log}",
            "3:24: unknown field 'algoritm' of a limit; did you mean 'algorithm'?"),
        wrongLimit("{burst: 5}", "3:12: a limit needs a 'rate', such as rate: 10 per second"),
        wrongLimit(
            "[1/s]",
            "3:12: a limit must be a rate, such as 10 per second, or a map, but is a list"),
        wrongLimit(
            "", "3:11: a limit must be a rate, such as 10 per second, or a map, but is nothing"),
        wrongLimit(
            "{rate: 1/s, queue: 5}", "3:24: 'queue' is for leaky-bucket; this is token-bucket"),
        wrongLimit(
            "{rate: 1/s, count_rejected: true}",
            "3:24: 'count_rejected' is for sliding-log and sliding-epochs; this is token-bucket"),
        wrongLimit(
            "{rate: 1/s, algorithm: sliding-log, burst: 5, zone: UTC}",
            "3:48: 'burst' is for token-bucket; this is sliding-log",
            "3:58: 'zone' is for fixed-window; this is sliding-log"),
        wrongLimit("{rate: 1/s, burst: 0}", "3:31: burst must be from 1 to 2147483648, but is 0"),
        wrongLimit("{rate: 1/s, burst: -1}", "3:31: burst must be from 1 to 2147483648, but is -1"),
        wrongLimit("{rate: 1/s, burst: 1.5}", "3:31: 'burst' must be a whole number, but is '1.5'"),
        wrongLimit("{rate: 1/s, burst: 10k}", "3:31: 'burst' must be a whole number, but is '10k'"),
        wrongLimit(
            "{rate: 1/s, burst: '10,000'}",
            "3:31: 'burst' must be a whole number, but is '10,000'; write 10000"),
        wrongLimit(
            "{rate: 1/s, burst: [5]}", "3:31: 'burst' must be a single value, but is a list"),
        wrongLimit(
            "{rate: 0/s, burst: 5}",
            "3:31: burst makes no sense at a rate of 0, which always refuses; leave it out"),
        wrongLimit(
            "{rate: 1 per day, burst: 100000}",
            "3:37: burst 100000 at 1 per 1d takes more than 50 years to fill"),
        wrongLimit(
            "{rate: 1/s, algorithm: leaky-bucket, queue: -1}",
            "3:56: queue must be from 0 to 2147483647, but is -1"),
        wrongLimit(
            "{rate: 1/s, algorithm: sliding-epochs, epochs: 0}",
            "3:59: epochs must be from 1 to 1000, but are 0"),
        wrongLimit(
            "{rate: 1/s, algorithm: sliding-epochs, epochs: 99999999999}",
            "3:59: epochs must be from 1 to 1000, but are 2147483647"),
        wrongLimit(
            "{rate: 1/s, algorithm: sliding-epochs, epochs: 3}",
            "3:59: epochs must divide the period into whole milliseconds, but 1s / 3 does not"),
        wrongLimit(
            "{rate: 1 per 15ms, algorithm: sliding-epochs}",
            "3:19: epochs must divide the period into whole milliseconds, but 15ms / 10 does not"),
        wrongLimit(
            "{rate: 1/s, algorithm: sliding-log, count_rejected: yes}",
            "3:64: 'count_rejected' must be true or false, but is 'yes'"),
        wrongLimit(
            "{rate: 1/day, algorithm: fixed-window, zone: Europe/Pariss}",
            "3:57: unknown time zone 'Europe/Pariss'; did you mean 'Europe/Paris'?"),
        wrongLimit(
            "{rate: 1/day, algorithm: fixed-window, zone: Nowhere/AtAllEver}",
            "3:57: unknown time zone 'Nowhere/AtAllEver'; write one like Europe/Paris or UTC"),
        wrongField("limits: []", "4:5: a rule has either 'limit' or 'limits', not both"),
        wrong(
            "rules:\n  - name: a\n    limits: []\n",
            "3:13: 'limits' must be a list of at least one limit"),
        wrong(
            "rules:\n  - name: a\n    limits: 1/s\n",
            "3:13: 'limits' must be a list of at least one limit, but is '1/s'"),
        wrong(
            "rules:\n  - name: a\n    limits: [1 per x, 5/1s, 5/1m, bad]\n",
            "3:14: unknown period 'x'; write second, minute, hour, day, week, month or year, or 250ms, 30s, 15m, 2h or 7d",
            "3:35: 'bad' is not a rate; write a number and a time: 10 per second, 500/15m"),
        wrong(
            "rules:\n  - name: a\n    limits: [1 per minute, 5/60s]\n",
            "3:28: the same algorithm and period as the limit at r.yaml:3:14; keep the stricter of the two"),
        wrong(
            "rules:\n  - name: a\n    limits:\n"
                + "      - {algorithm: sliding-epochs, rate: 1/q, epochs: 2}\n"
                + "      - {algorithm: sliding-epochs, rate: 1 per minute, epochs: 3}\n",
            "4:43: unknown period 'q'; write second, minute, hour, day, week, month or year, or 250ms, 30s, 15m, 2h or 7d"),
        wrong(
            "rules:\n  - name: a\n    limits:\n"
                + "      - {algorithm: sliding-epochs, rate: 1/minute, epochs: 2}\n"
                + "      - {algorithm: sliding-epochs, rate: 1 per minute, epochs: 3}\n",
            "5:9: the same algorithm and period as the limit at r.yaml:4:9; keep the stricter of the two"));
  }

  static Stream<Arguments> rates() {
    return Stream.of(
        wrongLimit(
            "10", "3:12: '10' is not a rate; write a number and a time: 10 per second, 500/15m"),
        wrongLimit(
            "fast",
            "3:12: 'fast' is not a rate; write a number and a time: 10 per second, 500/15m"),
        wrongLimit(
            "0.1 per second",
            "3:12: a rate starts with a whole number, not '0.1'; 0.1 per second is 1 per 10s"),
        wrongLimit(
            "2.5 per minute",
            "3:12: a rate starts with a whole number, not '2.5'; 2.5 per minute is 5 per 2m"),
        wrongLimit(
            "1.5 per 100ms",
            "3:12: a rate starts with a whole number, not '1.5'; 1.5 per 100ms is 3 per 200ms"),
        wrongLimit(
            "10_000 per second",
            "3:12: a rate starts with a whole number, not '10_000'; write 10000"),
        wrongLimit(
            "10,000 per second",
            "3:12: a rate starts with a whole number, not '10,000'; write 10000"),
        wrongLimit("-5 per second", "3:12: a rate starts with a whole number, not '-5'"),
        wrongLimit("1e3 per second", "3:12: a rate starts with a whole number, not '1e3'"),
        wrongLimit("10 per secnd", "3:12: unknown period 'secnd'; did you mean 'second'?"),
        wrongLimit("10 per minutes", "3:12: unknown period 'minutes'; did you mean 'minute'?"),
        wrongLimit(
            "10 per 5 secs", "3:12: unknown unit 'secs' after a number; did you mean 'seconds'?"),
        wrongLimit(
            "10 per 5mins", "3:12: unknown unit 'mins' after a number; did you mean 'minutes'?"),
        wrongLimit(
            "10 per 2 weks", "3:12: unknown unit 'weks' after a number; did you mean 'weeks'?"),
        wrongLimit(
            "10 per 1h30m",
            "3:12: unknown period '1h30m'; write second, minute, hour, day, week, month or year, or 250ms, 30s, 15m, 2h or 7d"),
        wrongLimit(
            "10 per month",
            "3:12: a calendar month is for fixed-window only, and this is token-bucket; use 30d"),
        wrongLimit(
            "10 per year",
            "3:12: a calendar year is for fixed-window only, and this is token-bucket; use 365d"),
        wrongLimit(
            "{algorithm: fixed-window, rate: 10 per 2 months}",
            "3:44: unknown unit 'months' after a number; count in days: 30d, 365d"),
        wrongLimit("10 per 0s", "3:12: period must be from 1 ms to 50 years, but is 0ms"),
        wrongLimit("10 per 100000d", "3:12: period must be from 1 ms to 50 years, but is 100000d"),
        wrongLimit("10 per 99999999999999999999s", "3:12: period must be from 1 ms to 50 years"),
        wrongLimit(
            "3000000000 per second",
            "3:12: permits must be from 0 to 2147483648, but are 3000000000"),
        wrongLimit(
            "99999999999999999999 per second",
            "3:12: a rate starts with a whole number, not '99999999999999999999'"));
  }
}
