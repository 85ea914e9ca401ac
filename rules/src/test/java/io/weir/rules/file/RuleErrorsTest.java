package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about each mistake, and where. */
class RuleErrorsTest {
  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource({"structure", "rules", "limits", "rates", "matches", "attributes", "tiers"})
  void saysWhatIsWrongAndWhere(String text, List<String> expected) {
    assertThat(new Written(directory).errors(text))
        .containsExactlyElementsOf(expected.stream().map(line -> "r.yaml:" + line).toList());
  }

  private static Arguments wrong(String text, String... expected) {
    return Arguments.of(text, List.of(expected));
  }

  /** A file with one rule, whose limit is in line 3, from column 12. */
  private static Arguments wrongLimit(String limit, String... expected) {
    return wrong("rules:\n  - name: a\n    limit: " + limit + "\n", expected);
  }

  /** A file with one rule, whose match is in line 4, from column 12. */
  private static Arguments wrongMatch(String match, String... expected) {
    return wrong("rules:\n  - name: a\n    limit: 1/s\n    match: " + match + "\n", expected);
  }

  /** A file with one rule, and {@code line} in line 4, from column 5. */
  private static Arguments wrongField(String line, String... expected) {
    return wrong("rules:\n  - name: a\n    limit: 1 per second\n    " + line + "\n", expected);
  }

  static Stream<Arguments> structure() {
    return Stream.of(
        wrong("", "1:1: the file is empty"),
        wrong("# only a comment\n", "1:1: the file is empty"),
        wrong("---\n", "1:1: the file is empty"),
        wrong(
            "hello\n",
            "1:1: a rule file must be a map, but is 'hello'; it needs one of rules, rate_limits, descriptors"),
        wrong(
            "- a\n",
            "1:1: a rule file must be a map, but is a list; it needs one of rules, rate_limits, descriptors"),
        wrong(
            "domain: a\n",
            "1:1: a file of no known form; it needs one of rules, rate_limits, descriptors"),
        wrong("domain: a\nrule: []\n", "2:1: unknown field 'rule'; did you mean 'rules'?"),
        wrong("rate_limit: {}\n", "1:1: unknown field 'rate_limit'; did you mean 'rate_limits'?"),
        wrong(
            "rules: []\nrate_limits: {}\n",
            "2:1: a file has one form: either 'rules' or 'rate_limits'"),
        wrong(
            "rules: []\natributes: {}\n",
            "2:1: unknown field 'atributes' of a rule file; did you mean 'attributes'?"),
        wrong("rules: {}\n", "1:8: 'rules' must be a list of rules, but is a map"),
        wrong("rules:\n", "1:7: 'rules' must be a list of rules, but is nothing"),
        wrong("rules: []\ndomain: [a]\n", "2:9: 'domain' must be a single value, but is a list"),
        wrong(
            "rules: []\ndomain: ''\n",
            "2:9: 'domain' must have a name; leave it out for 'default'"),
        wrong("rules: [a]\n", "1:9: a rule must be a map of fields, but is 'a'"),
        wrong("rules: []\nrules: []\n", "2:1: duplicate key 'rules'; the first is at r.yaml:1:1"));
  }

  static Stream<Arguments> rules() {
    return Stream.of(
        wrong("rules:\n  - limit: 1/s\n", "2:5: a rule needs a 'name'"),
        wrong(
            "rules:\n  - name: a b\n    limit: 1 per second\n",
            "2:11: bad name 'a b'; a name is 1 to 100 of A-Z a-z 0-9 . _ : -"),
        wrong(
            "rules:\n  - name: " + "a".repeat(101) + "\n    limit: 1/s\n",
            "2:11: bad name '" + "a".repeat(60) + "…'; a name is 1 to 100 of A-Z a-z 0-9 . _ : -"),
        wrong(
            "rules:\n  - name: [a]\n    limit: 1/s\n",
            "2:11: 'name' must be a single value, but is a list"),
        wrong(
            "rules:\n  - name: a\n",
            "2:5: a rule needs a 'limit' or 'limits', such as limit: 10 per second"),
        wrong(
            "rules:\n  - name: a\n    limit: 1/s\n    limits: [1/m]\n",
            "4:5: a rule has either 'limit' or 'limits', not both"),
        wrong(
            "rules:\n  - {name: a, limit: 1/s}\n  - {name: b, limit: 1/s}\n  - {name: a, limit: 1/s}\n",
            "4:12: duplicate rule name 'a'; the first is at r.yaml:2:12"),
        wrongField("mach: {}", "4:5: unknown field 'mach' of a rule; did you mean 'match'?"),
        wrongField("on_limit: x", "4:5: 'on_limit' is to come; remove it until then"),
        wrongField("soft: x", "4:5: 'soft' is to come; remove it until then"),
        wrongField("priority: x", "4:5: 'priority' is to come; remove it until then"),
        wrongField("count: x", "4:5: 'count' is to come; remove it until then"),
        wrongField("adapt: x", "4:5: 'adapt' is to come; remove it until then"),
        wrongField("mode: shadowed", "4:11: unknown mode 'shadowed'; did you mean 'shadow'?"),
        wrongField("mode: watch", "4:11: unknown mode 'watch'; write one of enforce, shadow, off"),
        wrongField("on_failure: denny", "4:17: unknown on_failure 'denny'; did you mean 'deny'?"),
        wrongField(
            "consistency: exakt", "4:18: unknown consistency 'exakt'; did you mean 'exact'?"),
        wrongField(
            "consistency: strict", "4:18: consistency 'strict' is to come; remove it until then"),
        wrongField(
            "consistency: leased", "4:18: consistency 'leased' is to come; remove it until then"),
        wrongField(
            "consistency: eventual",
            "4:18: consistency 'eventual' is to come; remove it until then"),
        wrongField("cost: -1", "4:11: 'cost' must not be negative, but is -1"),
        wrongField("cost: 1.5", "4:11: 'cost' must be a whole number, but is '1.5'"),
        wrongField(
            "cost: 1_000", "4:11: 'cost' must be a whole number, but is '1_000'; write 1000"),
        wrongField("cost: [size]", "4:11: 'cost' must be a single value, but is a list"),
        wrongField(
            "cost: 99999999999999999999",
            "4:11: 'cost' must be a whole number, but is '99999999999999999999'"),
        wrongField(
            "per: []", "4:10: 'per' must be an attribute or a list of them, but is an empty list"),
        wrongField(
            "per: {a: b}", "4:10: 'per' must be an attribute or a list of them, but is a map"),
        wrongField("per:", "4:9: 'per' must name an attribute, but is nothing"),
        wrongField("per: [ip, ip]", "4:15: 'ip' is there twice"),
        wrongField("per: [ip, [a]]", "4:15: 'per' must name an attribute, but is a list"),
        wrongField("exempt: {ip: 10.0.0.0/8}", "4:13: 'exempt' must be a list, but is a map"),
        wrongField("exempt: [{}]", "4:14: an empty match exempts every request; name an attribute"),
        wrongField(
            "exempt: [a]", "4:14: a match must be a map of attributes to values, but is 'a'"),
        wrongField("overrides: {}", "4:16: 'overrides' must be a list, but is a map"),
        wrongField("overrides: [x]", "4:17: an override must be a map of fields, but is 'x'"),
        wrongField(
            "overrides: [{limit: 1/s}]",
            "4:17: an override needs a 'match': the requests that it is for"),
        wrongField(
            "overrides: [{match: {a: b}}]",
            "4:17: an override needs a 'limit' or 'limits', such as limit: 10 per second"),
        wrongField(
            "overrides: [{match: {a: b}, limit: 1/s, per: c}]",
            "4:45: unknown field 'per' of an override"),
        wrongField(
            "overrides:\n      - {match: {a: b, c: d}, limit: 1/s}\n      - {match: {c: d, a: b}, limit: 1/m}",
            "6:9: the same match as the override at r.yaml:5:9, which is always taken first"),
        wrongField(
            "overrides:\n      - {name: x, match: {a: b}, limit: 1/s}\n      - {name: x, match: {c: d}, limit: 1/m}",
            "6:9: duplicate override name 'x'; the first is at r.yaml:5:9"));
  }

  static Stream<Arguments> limits() {
    return Stream.of(
        wrongLimit(
            "{rate: 1/s, algorithm: tokn-bucket}",
            "3:35: unknown algorithm 'tokn-bucket'; did you mean 'token-bucket'?"),
        wrongLimit(
            "{rate: 1/s, algorithm: gcra}",
            "3:35: unknown algorithm 'gcra'; write one of token-bucket, leaky-bucket, fixed-window, sliding-log, sliding-window, sliding-epochs"),
        wrongLimit(
            "{algorithm: concurrency, max: 5}",
            "3:24: algorithm 'concurrency' is to come; there is no such limit yet",
            "3:37: 'max' belongs to concurrency, which is to come; remove it"),
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
            "3:31: burst makes no sense at a rate of 0, which refuses always; leave it out"),
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
            "3:35: 'bad' is no rate; write a number and a time: 10 per second, 500/15m"),
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
            "10", "3:12: '10' is no rate; write a number and a time: 10 per second, 500/15m"),
        wrongLimit(
            "fast", "3:12: 'fast' is no rate; write a number and a time: 10 per second, 500/15m"),
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

  static Stream<Arguments> matches() {
    return Stream.of(
        wrongMatch("", "4:11: a match must be a map of attributes to values, but is nothing"),
        wrongMatch("[a]", "4:12: a match must be a map of attributes to values, but is a list"),
        wrongMatch(
            "{tier: }",
            "4:18: a value is missing for 'tier'; write ~ for absent, \"*\" for present"),
        wrongMatch(
            "{tier: ''}",
            "4:19: a value is missing for 'tier'; write ~ for absent, \"*\" for present"),
        wrongMatch("{tier: []}", "4:19: an empty list matches nothing; write at least one value"),
        wrongMatch(
            "{tier: {a: b}}",
            "4:19: the value of 'tier' must be a text or a list of them, but is a map"),
        wrongMatch(
            "{tier: [[a]]}",
            "4:20: the value of 'tier' must be a text or a list of them, but is a list"),
        wrongMatch(
            "{tier: a*b}",
            "4:19: bad tier: 'a*b' has a '*' that is not at its end, where it means any rest"),
        wrongMatch(
            "{path: login}", "4:19: bad path: a path must start with '/', but 'login' does not"),
        wrongMatch(
            "{ip: 10.0.0.1/8}", "4:17: bad ip: 10.0.0.1/8 has host bits; did you mean 10.0.0.0/8?"),
        wrongMatch(
            "{path: [/a/**/b, /ok]}", "4:20: bad path: '**' must be the last segment, as in /a/**"),
        wrongMatch("{method: HEAD}", "4:21: HEAD counts as GET; write GET"),
        wrongMatch(
            "{user: *}",
            "4:19: '*' repeats a value by its name; to mean the text, quote it: \"*\""));
  }

  private static Arguments wrongAttribute(String line, String... expected) {
    return wrong("rules: []\nattributes:\n  " + line + "\n", expected);
  }

  static Stream<Arguments> attributes() {
    return Stream.of(
        wrong(
            "rules: []\nattributes: []\n",
            "2:13: 'attributes' must be a map of names to sources, but is a list"),
        wrongAttribute("a: X-A", "3:6: an attribute must be a map of fields, but is 'X-A'"),
        wrongAttribute(
            "a: {}",
            "3:6: an attribute has exactly one of header, cookie, query, lookup, first_of"),
        wrongAttribute(
            "a: {header: A, cookie: B}",
            "3:6: an attribute has exactly one of header, cookie, query, lookup, first_of; this one has header and cookie"),
        wrongAttribute(
            "a: {heder: A}",
            "3:6: an attribute has exactly one of header, cookie, query, lookup, first_of",
            "3:7: unknown field 'heder' of an attribute; did you mean 'header'?"),
        wrongAttribute(
            "a: {header: 'X Y'}",
            "3:15: 'X Y' cannot be the name of a header; a name has letters, digits and !#$%&'*+-.^_`|~"),
        wrongAttribute(
            "a: {cookie: 'x=y'}",
            "3:15: 'x=y' cannot be the name of a cookie; a name has letters, digits and !#$%&'*+-.^_`|~"),
        wrongAttribute("a: {query: ''}", "3:14: '' cannot be the name of a query parameter"),
        wrongAttribute("a: {header: [x]}", "3:15: 'header' must be a single value, but is a list"),
        wrongAttribute(
            "ip: {header: X}",
            "3:3: 'ip' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute(
            "method: {header: X}",
            "3:3: 'method' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute(
            "path: {header: X}",
            "3:3: 'path' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute(
            "host: {header: X}",
            "3:3: 'host' is given with every request and cannot be redefined; choose another name"),
        wrongAttribute("a: {header: X, default: y}", "3:18: 'default' is for 'lookup' only"),
        wrongAttribute(
            "a: {lookup: b}", "3:6: a lookup has exactly one of 'in', a CSV file, and 'map'"),
        wrongAttribute(
            "a: {lookup: b, in: c.csv, map: {}}",
            "3:6: a lookup has exactly one of 'in', a CSV file, and 'map'; this one has both"),
        wrongAttribute(
            "a: {lookup: b, in: c.csv}",
            "3:22: lookup file 'c.csv' is missing; it was looked for at c.csv"),
        wrongAttribute(
            "a: {lookup: b, in: .}", "3:22: lookup file '.' is not a file; it was looked for at ."),
        wrongAttribute(
            "a: {lookup: b, in: \"a\\0b\"}", "3:22: control character in 'a\\u0000b'; remove it"),
        wrongAttribute(
            "a: {lookup: [b], map: {}}", "3:15: 'lookup' must name an attribute, but is a list"),
        wrongAttribute(
            "a: {lookup: b, map: [c]}", "3:23: 'map' must be a map of texts, but is a list"),
        wrongAttribute(
            "a: {lookup: b, map: {x: }}", "3:26: the value for 'x' must be a text, but is nothing"),
        wrongAttribute(
            "a: {lookup: b, map: {x: y}, default: ''}",
            "3:40: an empty default is no value; leave it out"),
        wrongAttribute(
            "a: {first_of: b}", "3:17: 'first_of' must be a list of attributes, but is 'b'"),
        wrongAttribute(
            "a: {first_of: []}",
            "3:17: 'first_of' must be an attribute or a list of them, but is an empty list"),
        wrongAttribute(
            "a: {first_of: [a, b]}", "3:3: attributes are made of each other in a circle: a → a"),
        wrongAttribute(
            "a: {first_of: [c, b]}\n  b: {lookup: a, map: {}}",
            "3:3: attributes are made of each other in a circle: a → b → a",
            "4:3: attributes are made of each other in a circle: b → a → b"));
  }

  /** A file whose default bucket is in line 2, from column 12. */
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

  @Test
  void saysAllErrorsOfAllFilesInTheirOrder() {
    Written written = new Written(directory);
    Path b =
        written.file(
            "b.yaml",
            "rules:\n  - {name: x, limit: 1/s, modus: off}\n  - {name: y, limit: fast}\n");
    Path c = written.file("c.yaml", "rules:\n\t- a\n");
    Path a = written.file("a.yaml", "rules:\n  - {name: x, limit: 1/s}\n");
    assertThat(written.errors(b, c, a))
        .containsExactly(
            "b.yaml:2:27: unknown field 'modus' of a rule; did you mean 'mode'?",
            "b.yaml:3:22: 'fast' is no rate; write a number and a time: 10 per second, 500/15m",
            "c.yaml:2:1: a tab cannot indent; use spaces",
            "a.yaml:2:12: duplicate rule name 'x'; the first is at b.yaml:2:12");
  }
}
