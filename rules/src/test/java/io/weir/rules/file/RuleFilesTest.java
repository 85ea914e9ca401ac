package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files are read, and how their rules are combined. */
class RuleFilesTest {
  @TempDir Path directory;
  private RuleFileFixture ruleFileFixture;

  @BeforeEach
  void write() {
    ruleFileFixture = new RuleFileFixture(directory);
  }

  private Path rule(String file, String name) {
    return ruleFileFixture.file(file, "rules: [{name: " + name + ", limit: 1/s}]\n");
  }

  private static List<String> names(RuleSet rules) {
    return rules.rules().stream().map(Rule::name).toList();
  }

  @Test
  void readsYamlFilesOfADirectoryByName() throws IOException {
    rule("b.yaml", "b");
    rule("a.yml", "a");
    rule("c.yaml", "c");
    rule(".hidden.yaml", "hidden");
    rule("deeper/d.yaml", "d");
    ruleFileFixture.file("notes.txt", "not: [yaml");
    ruleFileFixture.file("a.yaml~", "not: [yaml");
    Files.createDirectory(directory.resolve("directory.yaml"));
    assertThat(names(RuleFiles.load(List.of(directory)))).containsExactly("a", "b", "c");
  }

  @Test
  void readsADirectoryOfLinksAsKubernetesWritesIt() throws IOException {
    rule("..2024_01_01/rules.yaml", "mounted");
    Files.createSymbolicLink(directory.resolve("..data"), Path.of("..2024_01_01"));
    Files.createSymbolicLink(directory.resolve("rules.yaml"), Path.of("..data", "rules.yaml"));
    assertThat(names(RuleFiles.load(List.of(directory)))).containsExactly("mounted");
  }

  @Test
  void readsFileOnceThatIsNamedTwice() {
    Path file = rule("a.yaml", "a");
    assertThat(names(RuleFiles.load(List.of(file, directory, file)))).containsExactly("a");
  }

  @Test
  void mergesFilesOfADomainInTheOrderGiven() {
    Path one = ruleFileFixture.file("1.yaml", "domain: x\nrules: [{name: b, limit: 1/s}]\n");
    Path two = rule("2.yaml", "b");
    Path three = ruleFileFixture.file("3.yaml", "domain: x\nrules: [{name: a, limit: 1/s}]\n");
    List<Domain> domains = RuleFiles.load(List.of(one, two, three)).domains();
    assertThat(domains).extracting(Domain::name).containsExactly("x", "default");
    assertThat(domains.get(0).rules()).extracting(Rule::name).containsExactly("b", "a");
  }

  @Test
  void aNameIsUniqueInADomainOverAllFiles() {
    Path one = ruleFileFixture.file("1.yaml", "domain: x\nrules: [{name: b, limit: 1/s}]\n");
    Path two = ruleFileFixture.file("2.yaml", "domain: x\nrules:\n  - {name: b, limit: 1/s}\n");
    assertThat(ruleFileFixture.errors(one, two))
        .containsExactly(
            "2.yaml:3:12: duplicate rule name 'b'; the first is at 1.yaml:2:16,"
                + " in the same domain 'x'");
  }

  @Test
  void anAttributeHasOneSourceInADomain() {
    Path one = ruleFileFixture.file("1.yaml", "attributes: {a: {header: X}}\nrules: []\n");
    Path same = ruleFileFixture.file("2.yaml", "attributes: {a: {header: X}}\nrules: []\n");
    Path other = ruleFileFixture.file("3.yaml", "attributes: {a: {header: Y}}\nrules: []\n");
    assertThat(ruleFileFixture.errors(one, same)).isEmpty();
    assertThat(ruleFileFixture.errors(one, same, other))
        .containsExactly(
            "3.yaml:1:14: attribute 'a' has another source at 1.yaml:1:14;"
                + " a domain has one for each attribute");
  }

  @Test
  void anEmptyListOfRulesIsFine() {
    assertThat(ruleFileFixture.rules("rules: []\n").rules()).isEmpty();
  }

  @Test
  void reportsMissingFiles() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    Path empty = Files.createDirectory(directory.resolve("empty"));
    Reading reading = RuleFiles.read(List.of(missing, empty));
    assertThat(reading.missing()).containsExactly(missing);
    assertThat(reading.rules()).isEmpty();
    assertThat(ruleFileFixture.errors(missing, empty))
        .containsExactly(
            "missing.yaml:1:1: no such file or directory",
            "empty:1:1: no rule files here: none that ends in .yaml or .yml");
    assertThatThrownBy(() -> RuleFiles.load(List.of(missing)))
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageContaining("no such file");
  }

  @Test
  void listsAllFilesThatWereReadOrMissing() {
    Path table = ruleFileFixture.file("sub/t.csv", "a,b\n");
    Path file =
        ruleFileFixture.file(
            "sub/r.yaml",
            "attributes: {a: {lookup: b, in: t.csv}, c: {lookup: b, in: u.csv}}\nrules: []\n");
    Reading reading = RuleFiles.read(List.of(file));
    assertThat(reading.files())
        .containsExactlyInAnyOrder(file, table, directory.resolve("sub/u.csv"));
  }

  @Test
  void reportsErrorsOfLookupFile() {
    ruleFileFixture.file(
        "t.csv",
        "b,a\nk1,pro\n\n  k2 , free \nk1,x\nonly\nx,y,z\n,v\nk,\n\"open,x\n\"k\"3,x\n\"k4\" , v\n");
    assertThat(ruleFileFixture.errors("attributes: {a: {lookup: b, in: t.csv}}\nrules: []\n"))
        .containsExactly(
            "t.csv:5:1: duplicate key 'k1'; the first is in line 2",
            "t.csv:6:1: a line has two columns, key,value, but this one has 1",
            "t.csv:7:1: a line has two columns, key,value, but this one has 3",
            "t.csv:8:1: the key is missing",
            "t.csv:9:1: the value is missing",
            "t.csv:10:1: the quote that opens here is never closed",
            "t.csv:11:4: a comma must follow after a cell in quotes");
  }

  @Test
  void readsALargeLookupFile() {
    StringBuilder csv = new StringBuilder();
    for (int i = 0; i < 100_000; i++) {
      csv.append("key-").append(i).append(",tier-").append(i % 7).append('\n');
    }
    ruleFileFixture.file("t.csv", csv.toString());
    assertThat(ruleFileFixture.errors("attributes: {a: {lookup: b, in: t.csv}}\nrules: []\n"))
        .isEmpty();
  }

  @Test
  void limitsChainsOfAttributes() {
    StringBuilder text = new StringBuilder("rules: []\nattributes:\n  a0: {header: X}\n");
    for (int i = 1; i <= AttributeCycleCheck.MAX_DEPTH + 1; i++) {
      text.append("  a%d: {first_of: [a%d]}\n".formatted(i, i - 1));
    }
    assertThat(ruleFileFixture.errors(text.toString()))
        .containsExactly(
            "r.yaml:20:3: attributes are derived from each other more than 16 in a row");
  }
}
