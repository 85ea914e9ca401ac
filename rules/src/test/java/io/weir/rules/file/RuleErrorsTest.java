package io.weir.rules.file;

import static io.weir.rules.file.InvalidFiles.wrong;
import static io.weir.rules.file.InvalidFiles.wrongField;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about each mistake of a file and its rules, and where. */
class RuleErrorsTest {
  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource({"structure", "rules"})
  void reportsErrorAndPosition(String text, List<String> expected) {
    InvalidFiles.assertProblems(directory, text, expected);
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
            "1:1: a file of unknown form; it needs one of rules, rate_limits, descriptors"),
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
        wrongField("on_limit: x", "4:5: 'on_limit' is not supported yet; remove it"),
        wrongField("soft: x", "4:5: 'soft' is not supported yet; remove it"),
        wrongField("priority: x", "4:5: 'priority' is not supported yet; remove it"),
        wrongField("count: x", "4:5: 'count' is not supported yet; remove it"),
        wrongField("adapt: x", "4:5: 'adapt' is not supported yet; remove it"),
        wrongField("mode: shadowed", "4:11: unknown mode 'shadowed'; did you mean 'shadow'?"),
        wrongField("mode: watch", "4:11: unknown mode 'watch'; write one of enforce, shadow, off"),
        wrongField("mode: dry-run", "4:11: unknown mode 'dry-run'; did you mean 'shadow'?"),
        wrongField("on_failure: open", "4:17: unknown on_failure 'open'; did you mean 'allow'?"),
        wrongField("on_failure: denny", "4:17: unknown on_failure 'denny'; did you mean 'deny'?"),
        wrongField(
            "consistency: exakt", "4:18: unknown consistency 'exakt'; did you mean 'exact'?"),
        wrongField(
            "consistency: strict\n    on_failure: local",
            "5:17: consistency 'strict' needs on_failure 'deny', but it is 'local'; remove it"),
        wrong(
            "rules:\n  - name: a\n    limit: {algorithm: leaky-bucket, rate: 1/s}\n    consistency: strict\n",
            "4:18: consistency 'strict' is not for leaky-bucket; remove it, or choose another algorithm"),
        wrong(
            "rules:\n  - name: a\n    limit: {algorithm: leaky-bucket, rate: 1/s}\n    consistency: leased\n",
            "4:18: consistency 'leased' is not for leaky-bucket; remove it, or choose another algorithm"),
        wrong(
            "rules:\n  - name: a\n    limit: {algorithm: sliding-log, rate: 1/s, count_rejected: true}\n"
                + "    consistency: leased\n",
            "4:18: consistency 'leased' is not for limits with 'count_rejected'; remove either"),
        wrongField(
            "overrides: [{match: {a: b}, limit: {algorithm: leaky-bucket, rate: 1/s}}]\n    consistency: leased",
            "5:18: consistency 'leased' is not for leaky-bucket; remove it, or choose another algorithm"),
        wrong(
            "rules:\n  - name: a\n    limit: {algorithm: leaky-bucket, rate: 1/s}\n    consistency: eventual\n",
            "4:18: consistency 'eventual' is not for leaky-bucket; remove it, or choose another algorithm"),
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
        wrongField("per: [ip, ip]", "4:15: 'ip' occurs twice"),
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

  @Test
  void reportsAllErrorsOfAllFilesInOrder() {
    RuleFileFixture ruleFileFixture = new RuleFileFixture(directory);
    Path b =
        ruleFileFixture.file(
            "b.yaml",
            "rules:\n  - {name: x, limit: 1/s, modus: off}\n  - {name: y, limit: fast}\n");
    Path c = ruleFileFixture.file("c.yaml", "rules:\n\t- a\n");
    Path a = ruleFileFixture.file("a.yaml", "rules:\n  - {name: x, limit: 1/s}\n");
    assertThat(ruleFileFixture.errors(b, c, a))
        .containsExactly(
            "b.yaml:2:27: unknown field 'modus' of a rule; did you mean 'mode'?",
            "b.yaml:3:22: 'fast' is not a rate; write a number and a time: 10 per second, 500/15m",
            "c.yaml:2:1: a tab cannot indent; use spaces",
            "a.yaml:2:12: duplicate rule name 'x'; the first is at b.yaml:2:12");
  }
}
