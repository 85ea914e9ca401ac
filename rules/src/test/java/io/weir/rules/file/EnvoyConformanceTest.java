package io.weir.rules.file;

import static io.weir.rules.file.EnvoyFiles.descriptor;
import static io.weir.rules.file.EnvoyFiles.found;
import static io.weir.rules.file.EnvoyFiles.limited;
import static io.weir.rules.file.EnvoyFiles.load;
import static io.weir.rules.file.EnvoyFiles.metricName;
import static io.weir.rules.file.EnvoyFiles.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Policy;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.envoy.LimitOverride;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What envoyproxy/ratelimit's own tests of its configuration pin down, case by case, on files
 * written anew. Where Weir differs on purpose, the name of the case says so.
 */
class EnvoyConformanceTest {
  private static final String DOMAIN = "test-domain";

  @Nested
  class GoodFiles {
    @Test
    @DisplayName("C1: an unknown domain, and a descriptor without entries")
    void nothingToFind() {
      RuleSet rules = load("basic.yaml");

      assertThat(found(rules, "foo_domain", descriptor("key2=value2"))).isEqualTo("unknown domain");
      assertThat(found(rules, DOMAIN, Descriptor.of(List.of()))).isEqualTo("none");
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C2–C5: values, defaults, depth, exceptions, units, flags")
    @CsvSource(
        delimiter = '|',
        value = {
          "key1=something                          | none",
          "key1=value1                             | none",
          "key1=value1, subkey1=something          | 5 per SECOND",
          "key1=value1, subkey1=subvalue1          | 10 per SECOND",
          "key1=value1, subkey1=a, deeper=b        | none",
          "key2=something                          | 20 per MINUTE",
          "key2=value2                             | 30 per MINUTE",
          "key2=value2, subkey=subvalue            | none",
          "key2=value3                             | none",
          "key3=foo                                | 1 per HOUR",
          "key4=foo                                | 1 per DAY",
          "key5=value5                             | 15 per DAY",
          "key5=value5, subkey5=subvalue5          | 25 per DAY",
          "key5=value5, subkey5=something          | none",
          "key6=foo                                | unlimited",
          "key7=foo                                | 70 per MINUTE",
        })
    void basic(String entries, String expected) {
      assertThat(found(load("basic.yaml"), DOMAIN, descriptor(entries))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C3–C5: the keys of statistics")
    @CsvSource(
        delimiter = '|',
        value = {
          "key1=value1, subkey1=something | test-domain.key1_value1.subkey1",
          "key1=value1, subkey1=subvalue1 | test-domain.key1_value1.subkey1_subvalue1",
          "key2=something                 | test-domain.key2",
          "key2=value2                    | test-domain.key2_value2",
          "key3=foo                       | test-domain.key3",
          "key4=foo                       | test-domain.key4",
          "key7=foo                       | test-domain.key7_foo",
        })
    void basicMetrics(String entries, String expected) {
      assertThat(metricName(load("basic.yaml"), DOMAIN, descriptor(entries))).isEqualTo(expected);
    }

    @Test
    @DisplayName("C5: a name only where it was given")
    void names() {
      RuleSet rules = load("basic.yaml");

      assertThat(limited(rules, DOMAIN, descriptor("key3=foo")).limit().name()).isEmpty();
      assertThat(limited(rules, DOMAIN, descriptor("key3=foo")).rule().name())
          .isEqualTo("test-domain.key3");
      assertThat(limited(rules, DOMAIN, descriptor("key4=foo")).limit().name())
          .contains("key4_rate_limit");
      assertThat(limited(rules, DOMAIN, descriptor("key4=foo")).rule().name())
          .isEqualTo("key4_rate_limit");
    }

    @Test
    @DisplayName("C6: files of one domain are merged")
    void merge() {
      RuleSet rules = load("merge-1.yaml", "merge-2.yaml");

      assertThat(found(rules, DOMAIN, descriptor("key1=value1"))).isEqualTo("30 per MINUTE");
      assertThat(found(rules, DOMAIN, descriptor("key1=value2"))).isEqualTo("1 per SECOND");
      assertThat(found(rules, DOMAIN, descriptor("key2=any"))).isEqualTo("7 per HOUR");
    }

    @Test
    @DisplayName("C7: a limit in the request")
    void override() {
      RuleSet rules = load("basic.yaml");
      Descriptor something = descriptor("key1=value1, subkey1=something");
      Descriptor ten = something.limitedTo(new LimitOverride(10, "DAY"));
      Descriptor forty = something.limitedTo(new LimitOverride(42, "HOUR"));
      Descriptor other =
          descriptor("key1=value1, subkey1=other").limitedTo(new LimitOverride(42, "HOUR"));

      assertThat(found(rules, "unknown-domain", ten)).isEqualTo("unknown domain");
      assertThat(found(rules, DOMAIN, ten)).isEqualTo("10 per DAY");
      assertThat(found(rules, DOMAIN, forty)).isEqualTo("42 per HOUR");
      assertThat(metricName(rules, DOMAIN, ten))
          .isEqualTo("test-domain.key1_value1.subkey1_something")
          .isEqualTo(metricName(rules, DOMAIN, forty));
      assertThat(metricName(rules, DOMAIN, other))
          .isEqualTo("test-domain.key1_value1.subkey1_other");
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C8: shadow mode belongs to a node")
    @CsvSource(
        delimiter = '|',
        value = {
          "key1=value1, subkey1=something | ENFORCE",
          "key1=value1, subkey1=subvalue1 | SHADOW",
          "key2=something                 | SHADOW",
          "key2=value2                    | ENFORCE",
        })
    void shadowMode(String entries, Policy.Mode expected) {
      assertThat(
              limited(load("shadow-mode.yaml"), DOMAIN, descriptor(entries)).rule().policy().mode())
          .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C9: patterns")
    @CsvSource(
        delimiter = '|',
        value = {
          "noVal=foo1                   | 20 per MINUTE",
          "noVal=foo2                   | 20 per MINUTE",
          "wild=foo1                    | 20 per MINUTE",
          "wild=foo2                    | 20 per MINUTE",
          "wild=foo                     | 20 per MINUTE",
          "wild=bar                     | none",
          "noWild=foo                   | 20 per MINUTE",
          "noWild=foo1                  | none",
          "nestedWild=val1, wild=goo1   | 20 per MINUTE",
          "nestedWild=val1, wild=foo1   | none",
          "midWild=barab                | 20 per MINUTE",
          "midWild=bar123b              | 20 per MINUTE",
          "midWild=barb                 | 20 per MINUTE",
          "midWild=bara                 | none",
          "midWild=xbarb                | none",
          "multiWild=foo123bar456baz    | 10 per MINUTE",
          "multiWild=foobarbaz          | 10 per MINUTE",
          "multiWild=foo123baz          | none",
          "multiWild=bar456baz          | none",
        })
    void wildcards(String entries, String expected) {
      assertThat(found(load("wildcard.yaml"), DOMAIN, descriptor(entries))).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C9: the keys of statistics show the pattern")
    @CsvSource(
        delimiter = '|',
        value = {
          "wild=foo1                  | test-domain.wild_foo*",
          "midWild=bar123b            | test-domain.midWild_bar*b",
          "multiWild=foobarbaz        | test-domain.multiWild_foo*bar*baz",
          "nestedWild=val1, wild=goo1 | test-domain.nestedWild_val1.wild_goo*",
        })
    void wildcardMetrics(String entries, String expected) {
      assertThat(metricName(load("wildcard.yaml"), DOMAIN, descriptor(entries)))
          .isEqualTo(expected);
    }

    @Test
    @DisplayName("C9: each value that a pattern matches has a bucket of its own")
    void wildcardKeys() {
      RuleSet rules = load("wildcard.yaml");

      assertThat(limited(rules, DOMAIN, descriptor("wild=foo1")).key()).isEqualTo("foo1");
      assertThat(limited(rules, DOMAIN, descriptor("wild=foo2")).key()).isEqualTo("foo2");
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C10: detailed_metric of the last node decides")
    @CsvSource(
        delimiter = '|',
        value = {
          "parent_flag=v1            | nested.parent_flag_v1",
          "parent_flag=v1, child=v2  | nested.parent_flag.child",
          "no_flag=v1                | nested.no_flag",
          "no_flag=v1, child=v2      | nested.no_flag.child",
          "both_flags=v1, child=v2   | nested.both_flags_v1.child_v2",
          "key_1=some-value          | nested.key_1_some-value",
          "key_1=any-value           | nested.key_1_any-value",
          "key_2=any                 | nested.key_2_any",
          "key_2=any, key_3=wanted   | nested.key_2_any.key_3_wanted",
        })
    void detailedMetric(String entries, String expected) {
      assertThat(metricName(load("detailed-metric.yaml"), "nested", descriptor(entries)))
          .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C11: value_to_metric level by level")
    @CsvSource(
        delimiter = '|',
        value = {
          "route=draw, http_method=GET, subject_id=123        | d.route_draw.http_method_GET.subject_id",
          "route=draw, http_method=GET, detailed_id=123       | d.route_draw.http_method_GET.detailed_id_123",
          "route=api, verb=GET, subject_id=1                  | d.route_api.verb_GET.subject_id",
          "route=api, verb=POST, subject_id=1                 | d.route_api.verb_POST.subject_id",
          "k1=X, k2=Y, k3=Z                                   | d.k1.k2_Y.k3",
          "k1=X, plain=Y                                      | d.k1.plain",
          "user=alice, action=readfile, resource=documents    | d.user_alice.action_readfile.resource",
          "user=bob, action=readdata, resource=database       | d.user_bob.action_readdata.resource",
          "route=, http_method=GET, subject_id=123            | d.route.http_method_GET.subject_id",
          "route=draw, http_method=, subject_id=123           | d.route_draw.http_method.subject_id",
          "route=, http_method=, subject_id=123               | d.route.http_method.subject_id",
        })
    void valueToMetric(String entries, String expected) {
      assertThat(metricName(load("value-to-metric.yaml"), "d", descriptor(entries)))
          .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0} → {1}, bucket {2}, {3}")
    @DisplayName("C12: share_threshold puts the pattern in place of the value")
    @CsvSource(
        delimiter = '|',
        value = {
          "files=files/a.pdf                             | 100 | files/*          | files_files/*",
          "files=files/b.csv                             | 100 | files/*          | files_files/*",
          "nested=parent, files=nested/1.txt             | 200 | parent,nested/*  | nested_parent.files_nested/*",
          "files=top/1.txt, files=nested/1.txt           | 300 | top/*,nested/*   | files_top/*.files_nested/*",
          "route=api/v1, method=GET                      | 60  | api/*,GET        | route_api/*.method",
          "service=svc/user, endpoint=get                | 80  | svc/*,get        | service_svc/*.endpoint_get",
          "path=path/foo, file=file/doc1, type=pdf       | 120 | path/*,file/doc1,pdf | path_path/*.file_file/*.type",
          "user=user/alice, resource=res/f, action=read  | 150 | user/*,res/*,read | user_user/*.resource_res/*.action",
          "file=test1                                    | 50  | test1            | file_test1",
          "file=test2                                    | 100 | test*            | file_test*",
          "file=test123                                  | 100 | test*            | file_test*",
          "midpath=/api/v1                               | 100 | /api*v1          | midpath_/api*v1",
          "midpath=/apiXYZv1                             | 100 | /api*v1          | midpath_/api*v1",
          "multiroute=svcAepBrpc                         | 50  | svc*ep*rpc       | multiroute_svc*ep*rpc",
          "multiroute=svceprpc                           | 50  | svc*ep*rpc       | multiroute_svc*ep*rpc",
          "midroute=/api-1-v2                            | 80  | /api*v2          | midroute_/api*v2",
          "tenant=t1prod, resource=res9v2                | 60  | t*prod,res*v2    | tenant_t*prod.resource_res*v2",
        })
    void shareThreshold(String entries, long permits, String key, String metric) {
      RuleSet rules = load("share-threshold.yaml");
      DescriptorMatch.Limited limited = limited(rules, DOMAIN, descriptor(entries));

      assertThat(limited.rule().limits().get(0).permits()).isEqualTo(permits);
      assertThat(limited.key()).isEqualTo(key.replace(',', '|'));
      assertThat(metricName(rules, DOMAIN, descriptor(entries))).isEqualTo(DOMAIN + "." + metric);
    }

    @ParameterizedTest
    @DisplayName("C12: what a shared pattern does not match")
    @CsvSource({"midpath=/api/v2", "multiroute=svcrpc", "tenant=t1dev"})
    void shareThresholdMisses(String entries) {
      assertThat(found(load("share-threshold.yaml"), DOMAIN, descriptor(entries)))
          .isEqualTo("none");
    }

    @ParameterizedTest(name = "{0} → {1}")
    @DisplayName("C13: patterns and flags in the keys of statistics")
    @CsvSource(
        delimiter = '|',
        value = {
          "none=foo1                         | test-domain.none_foo*",
          "by_value=foo1                     | test-domain.by_value_foo1",
          "shared=foo1                       | test-domain.shared_foo*",
          "both=foo1                         | test-domain.both_foo*",
          "elsewhere=foo1, other=bar, limit=X | test-domain.elsewhere_foo*.other_bar.limit",
          "middle=foo123bar456               | test-domain.middle_foo*bar*",
          "middle=fooXbarY                   | test-domain.middle_foo*bar*",
          "middle_by_value=foo123bar456      | test-domain.middle_by_value_foo123bar456",
        })
    void wildcardFlags(String entries, String expected) {
      assertThat(metricName(load("wildcard-metrics.yaml"), DOMAIN, descriptor(entries)))
          .isEqualTo(expected);
    }

    @Test
    @DisplayName("C14: metadata, kept beside flags of metrics too")
    void metadata() {
      RuleSet rules = load("metadata.yaml");

      assertThat(limited(rules, DOMAIN, descriptor("key1=value1, subkey1=x")).limit().metadata())
          .isEqualTo(Map.of("name", "service_1"));
      assertThat(
              limited(rules, DOMAIN, descriptor("key1=value1, subkey1=subvalue1"))
                  .limit()
                  .metadata())
          .isEmpty();
      // envoyproxy/ratelimit loses it where value_to_metric changes the key of statistics.
      assertThat(limited(rules, DOMAIN, descriptor("key2=x")).limit().metadata())
          .isEqualTo(
              Map.of(
                  "service_with_quota",
                  Map.of("name", "service_2", "weights", Arrays.asList(1.0, 2.5, "3", true, null)),
                  "7",
                  "a key that is no text"));
    }
  }

  @Nested
  class BadFiles {
    @ParameterizedTest(name = "{0}")
    @DisplayName("their words, after the place; a hint may follow")
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '`',
        value = {
          "empty-domain.yaml        | 1:8  | config file cannot have empty domain",
          "no-domain.yaml           | 1:1  | config file cannot have empty domain",
          "empty-key.yaml           | 3:5  | descriptor has empty key",
          "duplicate-key.yaml       | 6:5  | duplicate descriptor composite key 'test-domain.key1_value1'; the first is at duplicate-key.yaml:3:5",
          "duplicate-nested-key.yaml | 7:9 | duplicate descriptor composite key 'test-domain.key1_value1.sub'; the first is at duplicate-nested-key.yaml:6:9",
          "bad-unit.yaml            | 4:25 | invalid rate limit unit 'foo'",
          "no-unit.yaml             | 4:17 | invalid rate limit unit ''",
          "unknown-unit.yaml        | 4:25 | invalid rate limit unit 'unknown'",
          "replaces-self.yaml       | 7:17 | replaces should not contain name of same descriptor",
          "replaces-empty.yaml      | 7:16 | should not have an empty replaces entry",
          "misspelled-key.yaml      | 4:5  | config error, unknown key 'ratelimit'; did you mean 'rate_limit'?",
          "misspelled-key-2.yaml    | 4:30 | config error, unknown key 'requestsperunit'; did you mean 'requests_per_unit'?",
          "non-string-key.yaml      | 1:1  | config error, key is not of type string: 0.25",
          "unlimited-with-unit.yaml | 4:42 | should not specify rate limit unit when unlimited",
        })
    void pinned(String file, String place, String message) {
      assertThat(problems(file)).containsExactly(file + ":" + place + ": " + message);
    }

    @Test
    @DisplayName("reports all errors of a list without maps at once")
    void nonMapList() {
      assertThat(problems("non-map-list.yaml"))
          .containsExactly(
              "non-map-list.yaml:3:5: config error, yaml file contains list of type other than map: a",
              "non-map-list.yaml:4:5: config error, yaml file contains list of type other than map: b",
              "non-map-list.yaml:5:5: config error, yaml file contains list of type other than map: c");
    }

    @Test
    @DisplayName("the same descriptors twice, merged")
    void duplicateAcrossFiles() {
      assertThat(problems("merge-1.yaml", "merge-1-again.yaml"))
          .containsExactly(
              "merge-1-again.yaml:3:5: duplicate descriptor composite key 'test-domain.key1_value1'"
                  + "; the first is at merge-1.yaml:3:5");
    }

    @Test
    @DisplayName("two files of one domain: merged always, so no 'duplicate domain'")
    void duplicateDomain() {
      assertThat(problems("basic.yaml", "merge-2.yaml"))
          .containsExactly(
              "merge-2.yaml:6:5: duplicate descriptor composite key 'test-domain.key2'"
                  + "; the first is at basic.yaml:12:5");
    }

    @Test
    @DisplayName("no YAML: in Weir's words, since the form cannot be known")
    void badYaml() {
      assertThat(problems("bad-yaml.yaml"))
          .containsExactly("bad-yaml.yaml:1:1: the quote that opens here is never closed");
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("behaviour of ratelimit's code that its tests do not cover")
    @CsvSource(
        delimiter = '|',
        quoteCharacter = '`',
        value = {
          "share-threshold-without-star.yaml | 5:22 | share_threshold can only be used with wildcard values (containing '*'), but found key 'foo_bar'",
          "requests-float.yaml    | 4:49 | error checking config; 'requests_per_unit' must be a whole number from 0 to 4294967295, but is '2.5'",
          "requests-negative.yaml | 4:49 | error loading config file: 'requests_per_unit' must be a whole number from 0 to 4294967295, but is '-1'",
          "requests-too-many.yaml | 4:49 | error loading config file: 'requests_per_unit' must be a whole number from 0 to 4294967295, but is '4294967296'",
          "requests-word.yaml     | 4:49 | error loading config file: 'requests_per_unit' must be a whole number from 0 to 4294967295, but is 'many'",
          "requests-quoted.yaml   | 4:49 | error loading config file: 'requests_per_unit' must be a whole number from 0 to 4294967295, but is '5'",
          "requests-octal.yaml    | 4:49 | error loading config file: 'requests_per_unit' must be a whole number from 0 to 4294967295, but is '010'",
          "value-float.yaml       | 4:12 | error checking config; 'value' is the number 1.5: to mean the text, quote it",
          "bad-metadata.yaml      | 4:15 | error parsing metadata: it must be a map, but is 'bar'",
        })
    void implied(String file, String place, String message) {
      assertThat(problems(file)).containsExactly(file + ":" + place + ": " + message);
    }

    @Test
    @DisplayName("a misplaced key, which ratelimit ignores, is an error with a hint")
    void wrongPlace() {
      assertThat(problems("wrong-place.yaml"))
          .containsExactly(
              "wrong-place.yaml:4:5: config error, key 'unit' does not belong here but in 'rate_limit'",
              "wrong-place.yaml:5:5: config error, key 'requests_per_unit' does not belong here but in"
                  + " 'rate_limit'",
              "wrong-place.yaml:7:55: config error, key 'shadow_mode' does not belong here but in a"
                  + " descriptor",
              "wrong-place.yaml:8:1: config error, key 'shadow_mode' does not belong here but in a"
                  + " descriptor");
    }

    @Test
    @DisplayName("distinguishes keys with underscores, which ratelimit confuses")
    void underscores() {
      RuleSet rules = load("underscores.yaml");

      assertThat(found(rules, "d", descriptor("a=b_c"))).isEqualTo("1 per MINUTE");
      assertThat(found(rules, "d", descriptor("a_b=c"))).isEqualTo("2 per MINUTE");
      assertThat(found(rules, "d", descriptor("a_b_c=x"))).isEqualTo("3 per MINUTE");
      assertThat(found(rules, "d", descriptor("a=b"))).isEqualTo("none");
      assertThat(rules.domains().get(0).descriptors().limits())
          .extracting(limit -> limit.rule().id())
          .doesNotHaveDuplicates();
    }
  }
}
