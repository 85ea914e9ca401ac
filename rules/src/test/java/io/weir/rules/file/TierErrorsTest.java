package io.weir.rules.file;

import static io.weir.rules.file.InvalidFiles.wrong;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about each mistake in the small form with tiers, and where. */
class TierErrorsTest {
  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource({"tiers"})
  void reportsErrorAndPosition(String text, List<String> expected) {
    InvalidFiles.assertProblems(directory, text, expected);
  }

  /** A file with the default bucket in line 2, from column 12. */
  private static Arguments wrongBucket(String bucket, String... expected) {
    return wrong("rate_limits:\n  default: " + bucket + "\n", expected);
  }

  static Stream<Arguments> tiers() {
    String good = "{bucket_capacity: 1, refill_rate: 1}";
    return Stream.of(
        wrong("rate_limits: []\n", "1:14: rate_limits must be a map of fields, but is a list"),
        wrong("rate_limits: {}\n", "1:14: rate_limits needs a 'default'"),
        wrong(
            "rate_limits:\n  defalt: " + good,
            "2:3: unknown field 'defalt' of rate_limits; did you mean 'default'?",
            "2:3: rate_limits needs a 'default'"),
        wrong(
            "rate_limits:\n  default: " + good + "\n  tiers: []",
            "3:10: 'tiers' must be a map of names to buckets, but is a list"),
        wrong(
            "rate_limits:\n  default: " + good + "\n  tiers: {free: x}",
            "3:17: a bucket must be a map of fields, but is 'x'"),
        wrong(
            "rate_limits:\n  default: " + good + "\n  tiers: {\"\\n\": " + good + "}",
            "3:11: bad tier '\\n'; a tier is 1 to 100 printable ASCII characters"),
        wrong(
            "rate_limits:\n  default: " + good + "\n  endpoint_overrides: {login: " + good + "}",
            "3:24: bad path 'login': a path starts with '/'"),
        wrong(
            "rate_limits:\n  default: " + good + "\n  endpoint_overrides: {/a/*: " + good + "}",
            "3:24: bad path '/a/*': an endpoint is no pattern; use Weir's own form for that"),
        wrong(
            "rate_limits:\n  default: "
                + good
                + "\n  endpoint_overrides: {/a: "
                + good
                + ", /a/: "
                + good
                + "}",
            "3:66: bad path '/a/': the same path as at r.yaml:3:24"),
        wrong(
            "rate_limits:\n  default: " + good + "\nrefill: 1\n",
            "3:1: unknown field 'refill' of a rule file"),
        wrongBucket("{bucket_capacity: 1}", "2:12: 'default' needs 'refill_rate'"),
        wrongBucket(
            "{}", "2:12: 'default' needs 'bucket_capacity'", "2:12: 'default' needs 'refill_rate'"),
        wrongBucket(
            "{bucket_capacty: 1, refill_rate: 1}",
            "2:12: 'default' needs 'bucket_capacity'",
            "2:13: unknown field 'bucket_capacty' of a bucket; did you mean 'bucket_capacity'?"),
        wrongBucket(
            "{bucket_capacity: 1.5, refill_rate: 1}",
            "2:30: 'bucket_capacity' must be a whole number, but is '1.5'"),
        wrongBucket(
            "{bucket_capacity: 0, refill_rate: 1}",
            "2:30: bucket_capacity must be from 1 to 2147483648, but is 0"),
        wrongBucket(
            "{bucket_capacity: 1, refill_rate: 0}", "2:46: 'refill_rate' must be greater than 0"),
        wrongBucket(
            "{bucket_capacity: 1, refill_rate: 0.0}", "2:46: 'refill_rate' must be greater than 0"),
        wrongBucket(
            "{bucket_capacity: 1, refill_rate: -1}",
            "2:46: 'refill_rate' must be a number of tokens a second, such as 10 or 0.1 with at most 9 decimals, but is '-1'"),
        wrongBucket(
            "{bucket_capacity: 1, refill_rate: 1 per second}",
            "2:46: 'refill_rate' must be a number of tokens a second, such as 10 or 0.1 with at most 9 decimals, but is '1 per second'"),
        wrongBucket(
            "{bucket_capacity: 1, refill_rate: 9999999999}",
            "2:46: refill_rate: permits must be from 0 to 2147483648, but are 9999999999"),
        wrongBucket(
            "{bucket_capacity: 2147483648, refill_rate: 0.000000001}",
            "2:30: bucket_capacity 2147483648 at 1 per 1000000000s takes more than 50 years to fill"));
  }
}
