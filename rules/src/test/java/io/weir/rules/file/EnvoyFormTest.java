package io.weir.rules.file;

import static io.weir.rules.file.EnvoyFiles.descriptor;
import static io.weir.rules.file.EnvoyFiles.found;
import static io.weir.rules.file.EnvoyFiles.limited;
import static io.weir.rules.file.EnvoyFiles.load;
import static io.weir.rules.file.EnvoyFiles.parse;
import static io.weir.rules.file.EnvoyFiles.problemsOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.yaml.ProblemCollector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Weir adds to the Envoy form, and the corners of the form. */
class EnvoyFormTest {
  private static final RuleSet EXTENDED = load("extensions.yaml");

  private static Rule rule(String key) {
    return limited(EXTENDED, "extended", Descriptor.of(key, "x")).rule();
  }

  @Test
  void algorithmsAndWindows() {
    assertThat(rule("bucket").limits())
        .containsExactly(Limit.tokenBucket(10).perSecond().burst(100));
    assertThat(rule("queue").limits()).containsExactly(Limit.leakyBucket(60).perMinute().queue(5));
    assertThat(rule("log").limits())
        .containsExactly(Limit.slidingLog(5).perMinute().countingRejected());
    assertThat(rule("sliding").limits())
        .containsExactly(Limit.slidingWindow(5).per(Duration.ofDays(7)));
    assertThat(rule("epochs").limits())
        .containsExactly(Limit.slidingEpochs(500).per(Duration.ofMinutes(15)).epochs(15));
    assertThat(rule("fixed").limits())
        .containsExactly(Limit.fixedWindow(7).per(Duration.ofSeconds(30)));
    assertThat(rule("window").limits())
        .containsExactly(Limit.fixedWindow(7).per(Duration.ofMinutes(5)));
  }

  @Test
  void readsOnFailureOfDescriptorOrLimit() {
    assertThat(rule("bucket").policy().onFailure()).isEqualTo(OnFailure.DENY);
    assertThat(rule("queue").policy().onFailure()).isEqualTo(OnFailure.LOCAL);
    assertThat(rule("log").policy().onFailure()).isEqualTo(OnFailure.ALLOW);
  }

  @Test
  void severalLimitsAreOneRuleNamedByTheFirst() {
    DescriptorMatch.Limited several = limited(EXTENDED, "extended", Descriptor.of("several", "x"));

    assertThat(several.rule().limits())
        .containsExactly(
            Limit.fixedWindow(10).perSecond(), Limit.fixedWindow(250).per(Duration.ofDays(1)));
    assertThat(several.rule().name()).isEqualTo("both");
    assertThat(several.limit().replaces()).containsExactly("other");
    assertThat(several.rule().policy().mode()).isEqualTo(Policy.Mode.SHADOW);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "second, 1",
    "minute, 60",
    "hour, 3600",
    "day, 86400",
    "week, 604800",
    "month, 2592000",
    "year, 31536000",
    "MINUTE, 60",
    "Minute, 60",
  })
  void unitsAreAlignedToTheEpoch(String unit, long seconds) {
    assertThat(limits("{ unit: " + unit + ", requests_per_unit: 3 }"))
        .containsExactly(
            new Limit.FixedWindow(
                3, new Limit.Length(Duration.ofSeconds(seconds)), ZoneOffset.UTC));
  }

  private static List<Limit> limits(String rateLimit) {
    RuleSet rules = parse("domain: d\ndescriptors: [{ key: k, rate_limit: " + rateLimit + " }]");
    return limited(rules, "d", Descriptor.of("k", "x")).rule().limits();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{ unit: day }                                    | 0",
        "{ unit: day, requests_per_unit: }                | 0",
        "{ unit: day, requests_per_unit: 0 }              | 0",
        "{ unit: day, requests_per_unit: 10_000 }         | 10000",
        "{ unit: day, requests_per_unit: 2147483648 }     | 2147483648",
        "{ unit: day, requests_per_unit: 4294967295 }     | 2147483648",
      })
  void requestsPerUnit(String rateLimit, long expected) {
    assertThat(limits(rateLimit)).singleElement().extracting(Limit::permits).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "True", "yes", "on", "Y"})
  void flagsInTheWordsOfYaml11(String word) {
    RuleSet rules =
        parse(
            "domain: d\ndescriptors: [{ key: k, shadow_mode: %s, rate_limit: { unit: day } }]"
                .formatted(word));

    assertThat(limited(rules, "d", Descriptor.of("k", "x")).rule().policy().mode())
        .isEqualTo(Policy.Mode.SHADOW);
  }

  @ParameterizedTest
  @CsvSource({
    "123, 123",
    "true, true",
    "on, on",
    "'\"1.5\"', 1.5",
    "0x1F, 0x1F",
    "1.2.3.4, 1.2.3.4"
  })
  void valuesAreTexts(String written, String value) {
    RuleSet rules =
        parse(
            "domain: 7\ndescriptors: [{ key: 1, value: %s, rate_limit: { unit: day } }]"
                .formatted(written));

    assertThat(found(rules, "7", Descriptor.of("1", value))).isEqualTo("0 per DAY");
    assertThat(found(rules, "7", Descriptor.of("1", "other"))).isEqualTo("none");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "domain: d",
        "domain: d\ndescriptors:",
        "domain: d\ndescriptors: []",
        "domain: d\ndescriptors: [{ key: k }]",
        "domain: d\ndescriptors: [{ key: k, value: , rate_limit: , descriptors: , metadata: }]",
        "domain: d\ndescriptors: [{ key: k, rate_limit: { unit: day, name: , replaces: }, descriptors: [] }]"
      })
  void nothingIsFine(String text) {
    assertThat(problemsOf(text)).isEmpty();
    assertThat(found(parse(text), "d", Descriptor.of("other", "x"))).isEqualTo("none");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{ key: '' }                     | 8 | descriptor has empty key",
        "{ key: [a] }                    | 8 | error loading config file: 'key' must be a text, but is a list",
        "{ key: { a: b } }               | 8 | error loading config file: 'key' must be a text, but is a map",
        "{ key: 1.5 }                    | 8 | error checking config; 'key' is the number 1.5: to mean the text, quote it",
        "{ key: k, shadow_mode: maybe }  | 24 | error loading config file: 'shadow_mode' must be true or false, but is 'maybe'",
        "{ key: k, shadow_mode: \"true\" } | 24 | error loading config file: 'shadow_mode' must be true or false, but is 'true'",
        "{ key: k, descriptors: { a: b } } | 24 | error loading config file: 'descriptors' must be a list, but is a map",
        "{ key: k, rate_limit: 5 }       | 23 | error loading config file: 'rate_limit' must be a map or a list of maps, but is '5'",
        "{ key: k, rate_limit: [] }      | 23 | 'rate_limit' is a list without a limit",
        "{ key: k, rate_limit: [5] }     | 24 | config error, yaml file contains list of type other than map: 5",
        "{ key: k, on_failure: dney }    | 23 | unknown on_failure 'dney'; did you mean 'deny'?",
        "{ key: k, on_failure: deny, rate_limit: { unit: day, on_failure: deny } } | 66 | 'on_failure' is given twice for one descriptor",
        "{ key: k, settle: reqest, rate_limit: { unit: day } } | 19 | unknown settle 'reqest'; did you mean 'request'?",
        "{ key: k, settle: request }     | 19 | 'settle' has no meaning without a limit in 'rate_limit'",
        "{ key: k, true: 1 }             | 11 | config error, key is not of type string: true",
        "{ key: k, 5: 1 }                | 11 | config error, key is not of type string: 5",
        "{ key: k, bogus: 1 }            | 11 | config error, unknown key 'bogus'",
        "{ key: k, metadata: [a] }       | 21 | error parsing metadata: it must be a map, but is a list",
      })
  void badDescriptors(String descriptor, int column, String expected) {
    String before = "{ domain: d, descriptors: [";

    assertThat(problemsOf(before + descriptor + "] }"))
        .contains("1:" + (before.length() + column) + ": " + expected);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{ unit: mintue }                             | 9  | invalid rate limit unit 'mintue'; did you mean 'minute'?",
        "{ unit: [day] }                              | 9  | error loading config file: 'unit' must be a text, but is a list",
        "{ window: 30 }                               | 11 | unknown period '30'; write second, minute, hour, day, week, month or year, or 250ms, 30s, 15m, 2h or 7d",
        "{ window: week }                             | 11 | 'window' is a duration such as 30s or 7d; write unit: week",
        "{ window: 0s }                               | 11 | period must be from 1 ms to 50 years, but is 0ms",
        "{ unit: day, window: 30s }                   | 22 | 'unit' and 'window' exclude each other; leave one of them out",
        "{ unit: day, algorithm: tokn-bucket }        | 25 | unknown algorithm 'tokn-bucket'; did you mean 'token-bucket'?",
        "{ unit: day, algorithm: concurrency }        | 25 | algorithm 'concurrency' is not supported yet",
        "{ unit: day, burst: 5 }                      | 14 | 'burst' is for token-bucket; this is fixed-window",
        "{ unit: day, algorithm: token-bucket, burst: 0, requests_per_unit: 1 } | 46 | burst must be from 1 to 2147483648, but is 0",
        "{ unit: day, algorithm: sliding-epochs, epochs: 7, requests_per_unit: 1 } | 49 | epochs must divide the period into whole milliseconds, but 1d / 7 does not",
        "{ unlimited: true, window: 5m }              | 28 | 'window' has no meaning when unlimited",
        "{ unlimited: true, unit: bogus }             | 26 | should not specify rate limit unit when unlimited",
        "[{ unit: day }, { unlimited: true }]         | 30 | 'unlimited' cannot stand in a list with limits",
        "[{ unit: day }, { unit: day }]               | 17 | the same algorithm and period as another limit of the list; keep the stricter",
        "[{ unit: day }, { unit: hour, name: x }]     | 37 | 'name' belongs to the first limit of a list; it is for all",
        "{ unit: day, replaces: [a] }                 | 25 | config error, yaml file contains list of type other than map: a",
        "{ unit: day, replaces: [{ nam: a }] }        | 27 | config error, unknown key 'nam'; did you mean 'name'?",
        "{ unit: day, replaces: [{}] }                | 25 | should not have an empty replaces entry",
        "{ unit: day, zone: UTC }                     | 14 | config error, unknown key 'zone'",
      })
  void badLimits(String limit, int column, String expected) {
    String before = "{ domain: d, descriptors: [{ key: k, rate_limit: ";

    assertThat(problemsOf(before + limit + " }] }"))
        .anySatisfy(
            problem ->
                assertThat(problem)
                    .startsWith("1:" + (before.length() + column) + ": " + expected));
  }

  @Test
  void allErrorsInOneGo() {
    assertThat(
            problemsOf(
                """
                domain: ''
                descriptors:
                  - value: a
                    rate_limit: { unit: foo, requests_per_unit: -1, burst: x }
                    descriptors:
                      - key: b
                        rate_limit: {}
                  - key: c
                    share_threshold: true
                """))
        .hasSize(7);
  }

  @Test
  void boundsTheNumberOfErrors() {
    StringBuilder text = new StringBuilder("domain: d\ndescriptors:\n");
    for (int i = 0; i < 2000; i++) {
      text.append("  - { value: v, share_threshold: true, rate_limit: { window: x } }\n");
    }

    assertThat(problemsOf(text.toString())).hasSize(ProblemCollector.MAX_PROBLEMS + 1);
  }

  @Test
  void mergesWithRulesOfItsDomain(@TempDir Path directory) throws IOException {
    Files.writeString(
        directory.resolve("a.yaml"), "domain: shop\nrules: [{ name: all, limit: 5 per second }]");
    Files.writeString(
        directory.resolve("b.yaml"),
        "domain: shop\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 3 } }]");
    RuleSet rules = RuleFiles.load(List.of(directory));

    assertThat(rules.domains()).hasSize(1);
    assertThat(rules.rules()).extracting(Rule::name).containsExactly("all");
    assertThat(found(rules, "shop", Descriptor.of("k", "x"))).isEqualTo("3 per DAY");
  }

  @Test
  void hundredThousandDescriptors() {
    StringBuilder text = new StringBuilder("domain: d\ndescriptors:\n");
    for (int i = 0; i < 100; i++) {
      text.append("  - key: user\n    value: u").append(i).append("\n    descriptors:\n");
      for (int j = 0; j < 1000; j++) {
        text.append("    - { key: path, value: /p")
            .append(j)
            .append(", rate_limit: { unit: day, requests_per_unit: ")
            .append(j)
            .append(" } }\n");
      }
    }
    RuleSet rules = parse(text.toString());

    assertThat(found(rules, "d", descriptor("user=u99, path=/p999"))).isEqualTo("999 per DAY");
  }

  // The example.

  private static DescriptorMatch example(String text) {
    RuleSet rules = RuleFiles.load(List.of(Path.of("../examples/envoy.yaml")));
    return rules.find("shop", List.of(descriptor(text))).get(0);
  }

  @ParameterizedTest(name = "{0} → {1}, bucket {2}: {3}")
  @CsvSource(
      delimiter = '|',
      value = {
        "path=/login, remote_address=10.0.0.1 | login     | /login,10.0.0.1 | fixed-window 5 per",
        "path=/files/a/b.pdf                  | downloads | /files/*        | fixed-window 100 per",
        "remote_address=10.0.0.1              | address   | 10.0.0.1        | token-bucket 10 per",
        "remote_address=203.0.113.7 | shop.remote_address_203.0.113.7 | 203.0.113.7 | fixed-window 0 per",
        "api_key=secret                       | shop.api_key | secret       | fixed-window 300 per",
      })
  void exampleLimits(String text, String name, String key, String limit) {
    DescriptorMatch.Limited limited = (DescriptorMatch.Limited) example(text);

    assertThat(limited.rule().name()).isEqualTo(name);
    assertThat(limited.key()).isEqualTo(key.replace(',', '|'));
    assertThat(limited.rule().limits().get(0).toString()).startsWith(limit);
  }

  @Test
  void exampleBesides() {
    RuleSet rules = RuleFiles.load(List.of(Path.of("../examples/envoy.yaml")));
    Descriptor login = descriptor("path=/login, remote_address=192.0.2.10");
    Descriptor address = descriptor("remote_address=192.0.2.10");

    assertThat(example("path=/login")).isEqualTo(new DescriptorMatch.NoLimit());
    assertThat(example("path=/login, remote_address=10.0.0.1"))
        .isInstanceOfSatisfying(
            DescriptorMatch.Limited.class,
            limited -> assertThat(limited.rule().policy().onFailure()).isEqualTo(OnFailure.DENY));
    assertThat(rules.find("shop", List.of(login, address)))
        .extracting(descriptorMatch -> descriptorMatch.getClass().getSimpleName())
        .containsExactly("Replaced", "Unlimited");
    assertThat(example("api_key=secret"))
        .isInstanceOfSatisfying(
            DescriptorMatch.Limited.class,
            limited -> assertThat(limited.rule().policy().mode()).isEqualTo(Policy.Mode.SHADOW));
  }
}
