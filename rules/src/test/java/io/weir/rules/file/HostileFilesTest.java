package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Problem;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that are broken, enormous, or meant to do harm: an error in words, soon. */
@Timeout(300)
class HostileFilesTest {
  private static final String GOOD = "rules: [{name: a, limit: 1/s}]\n";

  @TempDir Path directory;
  private RuleFileFixture ruleFileFixture;

  @BeforeEach
  void write() {
    ruleFileFixture = new RuleFileFixture(directory);
  }

  /** Opening a pipe waits for a writer, so pipes are not watched. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeIsNotWatched() throws Exception {
    Path pipe = pipe();
    for (Path path : List.of(pipe, Path.of("/dev/null"))) {
      assertThat(RuleFiles.read(RuleInputs.of(List.of(path)), before -> {}).problems())
          .extracting(Problem::toString)
          .containsExactly(path + ":1:1: not a regular file; a pipe or a device cannot be watched");
    }
    assertThat(ruleFileFixture.errors("attributes: { t: { lookup: u, in: pipe.yaml } }\n" + GOOD))
        .singleElement()
        .asString()
        .contains("lookup file 'pipe.yaml' is not a file");
  }

  /** {@code weir check <(…)}, {@code weir serve --config <(…)}. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeIsReadOnce() throws Exception {
    Path pipe = pipe();
    writeLater(pipe, GOOD);
    assertThat(RuleFiles.read(List.of(pipe)).problems()).isEmpty();
    writeLater(pipe, "admin_port: 1\n");
    assertThat(SettingsFile.read(pipe).entries()).hasSize(1);
    assertThat(SettingsFile.read(Path.of("/dev/null")).problems()).isEmpty();
    assertThat(RuleFiles.read(List.of(Path.of("/dev/zero"))).problems())
        .extracting(Problem::toString)
        .containsExactly("/dev/zero:1:1: the file is larger than 64 MB; split it");
  }

  private Path pipe() throws Exception {
    Path pipe = directory.resolve("pipe.yaml");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  /** Writes into a pipe as soon as it has a reader. */
  private static void writeLater(Path pipe, String text) {
    Thread writer =
        new Thread(
            () -> {
              try {
                Files.writeString(pipe, text);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    writer.setDaemon(true);
    writer.start();
  }

  @ParameterizedTest
  @MethodSource
  void reportsYamlErrorsInPlainWords(String text, String expected) {
    assertThat(ruleFileFixture.errors(text)).containsExactly("r.yaml:" + expected);
  }

  static Stream<Arguments> reportsYamlErrorsInPlainWords() {
    return Stream.of(
        Arguments.of("rules:\n\t- a\n", "2:1: a tab cannot indent; use spaces"),
        Arguments.of(
            "rules:\n  - name: a\n  \tlimit: 1/s\n", "3:3: a tab cannot indent; use spaces"),
        Arguments.of(
            "rules:\n  - name: a\n\n\tlimit: 1/s\n", "4:1: a tab cannot indent; use spaces"),
        Arguments.of(
            "rules:\n  - name: 'a\n    limit: 1/s\n",
            "2:11: the quote that opens here is never closed"),
        Arguments.of(
            "rules:\n  - name: a\n   limit: 1/s\n",
            "3:4: this is not indented like what it belongs to, which starts at 2:3"),
        Arguments.of(
            "rules: [{name: a, limit: 1/s\n",
            "2:1: expected ',' or the bracket that closes the one at 1:9;"
                + " a text with { } [ ] or , in it must be quoted"),
        Arguments.of(
            "rules: [{name: a, match: {path: /a/{id}}, limit: 1/s}]\n",
            "1:36: expected ',' or the bracket that closes the one at 1:26;"
                + " a text with { } [ ] or , in it must be quoted"),
        Arguments.of(
            "rules:\n  - name: a: b\n",
            "2:12: no ':' is expected here; indent the line like its neighbours, or quote the"
                + " text"),
        Arguments.of("rules\n  : - a\n", "2:3: something follows after the end of the value"),
        Arguments.of("rules:\n  - a\nlimit\nx: 1\n", "3:1: a ':' is missing after this key"),
        Arguments.of(
            "rules: - a\n", "1:8: no '-' is expected here; a list starts on a line of its own"),
        Arguments.of("rules: @a\n", "1:8: a text cannot start with this character; quote it"),
        Arguments.of(
            "rules: \"\\d\"\n",
            "1:10: no such escape in double quotes; write \\\\ for a backslash, or use single"
                + " quotes"),
        Arguments.of("rules: ]\n", "1:8: a value is missing here"),
        Arguments.of("{rules: []} x\n", "1:13: something follows after the end of the value"),
        Arguments.of(
            GOOD + "---\n" + GOOD, "2:1: a second document; a file has one: remove the '---'"),
        Arguments.of(
            "%YAML 9.0\n---\nrules: []\n",
            "1:1: cannot be read as YAML: Version{major=9, minor=0}"),
        Arguments.of(
            "rules: !!set {}\n",
            "1:8: tags such as 'tag:yaml.org,2002:set' are not supported; remove it"),
        Arguments.of(
            "rules: !java.lang.Runtime []\n",
            "1:8: tags such as '!java.lang.Runtime' are not supported; remove it"),
        Arguments.of(
            "<<: {a: b}\nrules: []\n",
            "1:1: merge keys ('<<') are not supported; write the fields out"),
        Arguments.of("? [a]\n: b\nrules: []\n", "1:3: a key must be a word, but is a list"),
        Arguments.of("{{}: x, rules: []}\n", "1:2: a key must be a word, but is a map"),
        Arguments.of(
            "rules: *nobody\n",
            "1:8: '*nobody' repeats a value that has no name; quote a text that starts with '*'"),
        Arguments.of("rules: &a [*a]\n", "1:12: '*a' contains itself"),
        Arguments.of("rules: &a {b: [*a]}\n", "1:16: '*a' contains itself"),
        Arguments.of("rules: [" + "[".repeat(100_000), "1:57: nested deeper than 50 levels"),
        Arguments.of("rules: " + "{a: ".repeat(100_000), "1:204: nested deeper than 50 levels"),
        Arguments.of("- ".repeat(100_000), "1:101: nested deeper than 50 levels"),
        Arguments.of(
            "a: 1\u0000\n",
            "1:5: control character U+0000; remove it, or write it as an escape in double quotes"),
        Arguments.of(
            "# é😀 \u0007\n",
            "1:6: control character U+0007; remove it, or write it as an escape in double quotes"),
        Arguments.of(
            "rules: []\r\ndomain: \u001b[31m\r\n",
            "2:9: control character U+001B; remove it, or write it as an escape in double quotes"),
        Arguments.of(
            "rules: []\rdomain: a\u007f\r",
            "2:10: control character U+007F; remove it, or write it as an escape in double"
                + " quotes"));
  }

  @Test
  void reportsPositionOfInvalidUtf8() {
    assertThat(ruleFileFixture.errors("rules: []\ndomain: café\n".getBytes(ISO_8859_1)))
        .containsExactly("r.yaml:2:12: not UTF-8: byte 0xE9 at offset 21; save the file as UTF-8");
    assertThat(ruleFileFixture.errors(GOOD.getBytes(UTF_16)))
        .containsExactly("r.yaml:1:1: the file is UTF-16; save it as UTF-8");
    byte[] littleEndian = ("\ufeff" + GOOD).getBytes(UTF_16LE);
    assertThat(ruleFileFixture.errors(littleEndian))
        .containsExactly("r.yaml:1:1: the file is UTF-16; save it as UTF-8");
    byte[] cut = "rules: [] # 😀".getBytes(UTF_8);
    assertThat(ruleFileFixture.errors(Arrays.copyOf(cut, cut.length - 1)))
        .containsExactly("r.yaml:1:13: not UTF-8: byte 0xF0 at offset 12; save the file as UTF-8");
  }

  @Test
  void ignoresByteOrderMark() {
    assertThat(ruleFileFixture.errors("\ufeff" + GOOD)).isEmpty();
    assertThat(ruleFileFixture.errors("\ufeffrule: []"))
        .containsExactly("r.yaml:1:1: unknown field 'rule'; did you mean 'rules'?");
  }

  @Test
  void columnsCountCharactersNotBytes() {
    assertThat(ruleFileFixture.errors("rules: [{name: a, match: {x: 😀é}, limit: 1/s, mod: off}]"))
        .containsExactly("r.yaml:1:47: unknown field 'mod' of a rule; did you mean 'mode'?");
  }

  @Test
  void shortensAndEscapesQuotedText() {
    assertThat(ruleFileFixture.errors("\"" + "x".repeat(1_000_000) + "\\n\": 1\nrules: []"))
        .singleElement(org.assertj.core.api.InstanceOfAssertFactories.STRING)
        .hasSizeLessThan(200);
    assertThat(ruleFileFixture.errors("rules: [{name: \"a\\n\\e[31m\\u202E\", limit: 1/s}]"))
        .containsExactly("r.yaml:1:16: control character in 'a\\n\\u001B[31m\\u202E'; remove it");
  }

  @Test
  void aBombOfAliasesIsRefused() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 20; i++) {
      bomb.append("a%d: &a%d [".formatted(i, i));
      bomb.append(("*a" + (i - 1) + ",").repeat(10)).append("]\n");
    }
    assertThat(ruleFileFixture.errors(bomb + "rules: []"))
        .singleElement(org.assertj.core.api.InstanceOfAssertFactories.STRING)
        .endsWith("more than 10000000 values, aliases counted in full");
  }

  @Test
  void refusesDeeplyNestedAliases() {
    StringBuilder ladder = new StringBuilder("a0: &a0 [x]\n");
    for (int i = 1; i < 100_000; i++) {
      ladder.append("a%d: &a%d [*a%d]\n".formatted(i, i, i - 1));
    }
    assertThat(ruleFileFixture.errors(ladder + "rules: []"))
        .containsExactly("r.yaml:50:12: nested deeper than 50 levels");
  }

  @Test
  void reportsErrorsUpToABound() {
    assertThat(ruleFileFixture.errors("rules: [" + "{},".repeat(300_000) + "]"))
        .hasSize(ProblemCollector.MAX_PROBLEMS + 1);
  }

  @Test
  @Tag("slow")
  void aFileOfTenMegabytesIsRead() {
    int size = 10 << 20;
    String[] files = {
      "# " + "x".repeat(size) + "\n" + GOOD,
      "#\n".repeat(size / 2) + GOOD,
      GOOD + " ".repeat(size),
      "rules:\n  - name: a\n    limit: 1/s\n    match: { x: '" + "x".repeat(size) + "' }\n",
      "rules:\n  - name: a\n    limit: 1/s\n    match: { x: " + "x".repeat(size) + " }\n",
      "rules:\n  - name: a\n    limit: 1/s\n    match: { x: '" + "x\n ".repeat(size / 3) + "' }\n",
      "rules:\n  - name: a\n    limit: 1/s\n    match: { x: [" + "xyz,".repeat(size / 4) + "] }\n",
    };
    for (String file : files) {
      assertThat(ruleFileFixture.errors(file)).isEmpty();
    }
  }

  @Test
  @Tag("slow")
  void aFileThatIsTooLargeIsNotRead() {
    byte[] large = new byte[BoundedFileReader.LARGEST + 1];
    Arrays.fill(large, (byte) '#');
    assertThat(ruleFileFixture.errors(large))
        .containsExactly("r.yaml:1:1: the file is larger than 64 MB; split it");
  }

  // 2.5 s of one core when warm, 6 s when not; by the square it would be hours: see the timeout.
  @Test
  @Tag("slow")
  void aHundredThousandRulesAreRead() {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < 100_000; i++) {
      text.append(
          """
            - name: rule-%1$d
              match: { path: /api/%1$d, tier: [free, pro] }
              per: [user, path]
              limit: { rate: 10 per second, burst: 100 }
          """
              .formatted(i));
    }
    Path file = ruleFileFixture.file("r.yaml", text.toString());
    Reading reading = RuleFiles.read(List.of(file));
    assertThat(reading.problems()).isEmpty();
    assertThat(reading.rules().orElseThrow().rules()).hasSize(100_000);
  }
}
