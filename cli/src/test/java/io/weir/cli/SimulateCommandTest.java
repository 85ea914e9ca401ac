package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code weir simulate} as a person types it. */
class SimulateCommandTest {
  private static final String HEADER = "time,rule,key,allowed,remaining,retry_after_ms,delay_ms";

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void writeFiles() throws IOException {
    write(
        "rules.yaml",
        """
        rules:
          - { name: pair, per: user, limit: { algorithm: fixed-window, rate: 2 per minute } }
          - { name: tried, per: user, limit: 1 per hour, mode: shadow }
          - { name: old, match: { path: /old }, limit: 1 per day }
          - { name: asleep, limit: 1 per day, mode: "off" }
        """);
    write(
        "loose.yaml",
        """
        rules:
          - { name: trio, per: user, limit: { algorithm: fixed-window, rate: 3 per minute } }
        """);
    write("bad.yaml", "rules:\n  - { name: pair, limit: { algorithm: tokn-bucket, rate: 1/s } }\n");
    write("worse.yaml", "rules:\n  - { nam: pair, limit: 1/s }\n");
    write(
        "trace.csv",
        """
        time,user,path
        0,ann,/a
        1,ann,/a
        2,ann,/a
        3,"b,""ob",/a
        4,,/a
        """);
    write("empty.csv", "");
    write("nothing.csv", "what,is,this\n1,2,3\n");
    Files.createDirectories(directory.resolve("dir"));
  }

  @Test
  void decidesEveryRequestInTheOrderOfTheTrace() throws IOException {
    assertThat(simulate("--rules rules.yaml --trace trace.csv --decisions out.csv")).isZero();

    assertThat(directory.resolve("out.csv"))
        .hasContent(
            HEADER
                + """

                0,pair,ann,true,1,0,0
                1,pair,ann,true,0,0,0
                2,pair,ann,false,0,59998,0
                3,pair,"b,""ob",true,1,0,0
                4,,,true,,0,0
                """);
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).contains("decisions: " + directory.resolve("out.csv"));
    assertThat(leftovers()).isEmpty();
  }

  @Test
  void summarisesRuleByRule() {
    assertThat(simulate("--rules rules.yaml --trace trace.csv")).isZero();

    assertThat(out.toString().lines())
        .containsSequence(
            "rule    requests  refused   share  callers  callers refused  peak use",
            "pair           4        1  25.0 %        2                1     100 %",
            "tried          3        1  33.3 %        2                1     100 %  shadow: would be refused",
            "old            0        -       -        -                -         -  never matched",
            "asleep         0        -       -        -                -         -  off",
            "---------------------------------------------------------------------",
            "all            5        1  20.0 %                                      1 would be refused by shadow rules")
        .contains(
            "pair refuses 25 % of requests, all of one caller: ann",
            "tried is in shadow mode and would refuse 33 % of requests, all of one caller: ann",
            "no enforced rule applies to 1 request (20.0 %): allowed")
        .anyMatch(
            line ->
                line.matches(
                    "never matched: no request of this trace met old \\(.*rules.yaml:4:.*\\)"))
        .anyMatch(line -> line.matches("replayed 5 lines in .* s, .*/s"));
    assertThat(out.toString())
        .startsWith(
            directory.resolve("trace.csv")
                + ": 5 requests from 1970-01-01 00:00:00 to 1970-01-01 00:00:00 UTC (4 ms)");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void standardOutputContainsOnlyDecisions() {
    assertThat(simulate("--rules rules.yaml --trace trace.csv --decisions -")).isZero();

    assertThat(out.toString()).startsWith(HEADER + "\n0,pair,ann,").hasLineCount(6);
    assertThat(err.toString()).contains("requests from", "pair ");
  }

  @Test
  void readsStandardInput() {
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream("time,user\n0,ann\n0,ann\n0,ann\n".getBytes(UTF_8)));
      assertThat(simulate("--rules rules.yaml --trace -")).isZero();
    } finally {
      System.setIn(before);
    }
    assertThat(out.toString()).startsWith("standard input: 3 requests");
  }

  @Test
  void readsCompressedTraces() throws IOException {
    try (OutputStream to =
        new GZIPOutputStream(Files.newOutputStream(directory.resolve("trace.csv.gz")))) {
      to.write(Files.readAllBytes(directory.resolve("trace.csv")));
    }
    assertThat(simulate("--rules rules.yaml --trace trace.csv.gz")).isZero();
    assertThat(out.toString()).contains("trace.csv.gz: 5 requests");
  }

  @Test
  void reportsInvalidLinesAndDecreasingTimes() throws IOException {
    StringBuilder trace = new StringBuilder("time,user\n5,ann\n3,ann\nsoon,ann\n");
    for (int i = 0; i < 20; i++) {
      trace.append("never,ann\n");
    }
    write("odd.csv", trace.toString());

    assertThat(simulate("--rules rules.yaml --trace odd.csv")).isZero();

    assertThat(out.toString())
        .contains("1 request is out of order", "21 lines are no requests:", "line 4: ")
        .contains("  and 11 more\n");
  }

  @Test
  void countsBadRequestsButNotInvalidLines() throws IOException {
    write("paths.yaml", "rules: [ { name: a, match: { path: /a }, limit: 9 per hour } ]");
    write("odd.csv", "time,path\n0,/a\n7,/%zz\nsoon,/a\n9\n2,/a\n");

    assertThat(simulate("--rules paths.yaml --trace odd.csv --decisions out.csv --report r.html"))
        .isZero();

    assertThat(directory.resolve("out.csv"))
        .hasContent(HEADER + "\n0,a,,true,8,0,0\n7,,,false,,-1,0\n2,a,,true,7,0,0\n");
    assertThat(out.toString())
        .contains("odd.csv: 2 requests", "replayed 5 lines")
        .containsPattern(
            "\n1 request would get 400:\n  line 3: .*\n2 lines are no requests:\n  line 4: .*\n"
                + "  line 5: ");
    assertThat(Files.readString(directory.resolve("r.html")))
        .contains("would get 400:", "lines are no requests:", "line 3: ", "line 5: ");
  }

  @Test
  void severalFilesAndDirectoriesMakeOneSetOfRules() throws IOException {
    Files.copy(directory.resolve("loose.yaml"), directory.resolve("dir/loose.yaml"));
    assertThat(simulate("--rules rules.yaml --rules dir --trace trace.csv")).isZero();
    assertThat(out.toString()).contains("\npair ", "\ntrio ");
  }

  @Test
  void reportsWhatOtherRulesWouldChange() {
    assertThat(simulate("--rules rules.yaml --trace trace.csv --compare loose.yaml")).isZero();
    assertThat(out.toString().lines())
        .containsSequence(
            "With the rules of --compare: 0 of 5 refused instead of 1",
            "",
            "newly refused: none",
            "",
            "newly allowed: 1 request of 1 caller, pair 1",
            "  rule  requests  caller",
            "  pair         1  ann",
            "  line 4, 1970-01-01 00:00:00: pair, key ann");
  }

  @Test
  void reportsTheSameWithRulesSwapped() {
    assertThat(simulate("--rules loose.yaml --trace trace.csv --compare rules.yaml")).isZero();
    assertThat(out.toString()).contains("newly refused: 1 request of 1 caller, pair 1");
  }

  @Test
  void writesReportAndPrintsItsPath() throws IOException {
    assertThat(simulate("--rules rules.yaml --trace trace.csv --report r.html")).isZero();
    assertThat(out.toString()).endsWith("report: " + directory.resolve("r.html") + "\n");
    assertThat(Files.readString(directory.resolve("r.html"))).startsWith("<!DOCTYPE html>");
    assertThat(leftovers()).isEmpty();
  }

  @Test
  void replacesOutputOfAnEarlierRun() throws IOException {
    write("r.html", "from last week");
    assertThat(simulate("--rules rules.yaml --trace trace.csv --report r.html")).isZero();
    assertThat(Files.readString(directory.resolve("r.html"))).doesNotContain("last week");
  }

  @ParameterizedTest
  @CsvSource({"rw-------", "rw-rw-rw-", "r--r-----"})
  void replacedFileKeepsItsPermissions(String permissions) throws IOException {
    assumeTrue(Files.getFileStore(directory).supportsFileAttributeView("posix"));
    write("out.csv", "from last week");
    Path file = directory.resolve("out.csv");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    assertThat(simulate("--rules rules.yaml --trace trace.csv --decisions out.csv")).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo(permissions);
    assertThat(Files.readString(file)).startsWith(HEADER);
  }

  @Test
  void aTraceWithoutRequestsIsFine() throws IOException {
    write("none.csv", "time,user\n");
    assertThat(simulate("--rules rules.yaml --trace none.csv --report r.html --compare loose.yaml"))
        .isZero();
    assertThat(out.toString()).contains("none.csv: 0 requests\n");
  }

  @ParameterizedTest(name = "simulate {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          --trace trace.csv                                    | --rules FILE_OR_DIR is missing; see weir simulate --help
          --rules rules.yaml                                   | --trace FILE is missing; see weir simulate --help
          --rules rules.yaml --trace trace.csv --reprot x      | unknown option '--reprot'; did you mean '--report'?
          --rules rules.yaml --trace trace.csv now             | unexpected argument 'now'
          --rules no.yaml --trace trace.csv                    | no such file: @/no.yaml
          --rules rules.yaml --trace trace.csv --compare no    | no such file: @/no
          --rules rules.yaml --trace no.csv                    | no such file: @/no.csv
          --rules rules.yaml --trace dir                       | @/dir is a directory; name a file
          --rules rules.yaml --trace empty.csv                 | empty
          --rules rules.yaml --trace nothing.csv               | @/nothing.csv
          --rules rules.yaml --trace trace.csv --report -      | --report needs the name of a file, such as report.html
          --rules rules.yaml --trace trace.csv --report dir    | @/dir is a directory; name a file
          --rules rules.yaml --trace trace.csv --report no/r.html | no such directory: @/no
          --rules rules.yaml --trace trace.csv --decisions no/d.csv | no such directory: @/no
          --rules rules.yaml --trace trace.csv --decisions rules.yaml/d | @/rules.yaml is no directory
          --rules rules.yaml --trace trace.csv --report trace.csv | @/trace.csv is an input, and would be overwritten
          --rules rules.yaml --trace trace.csv --decisions rules.yaml | @/rules.yaml is an input, and would be overwritten
          --rules rules.yaml --trace trace.csv --report x --decisions x | --decisions and --report are the same file: @/x
          """)
  void wrongUseIsOneLineAndExitCode2(String arguments, String message) throws IOException {
    List<String> before = files();
    assertThat(simulate(arguments)).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("weir simulate: ")
        .contains(message.replace("@", directory.toString()))
        .hasLineCount(1);
    assertThat(out.toString()).isEmpty();
    assertThat(files()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "--decisions, dir/rules.yaml",
    "--report, dir/rules.yaml",
    "--decisions, dir/tiers.csv",
    "--report, link",
    "--decisions, other/rules.yaml",
    "--decisions, linked/rules.yaml",
    "--report, trace-link.csv",
  })
  void neverOverwritesItsInput(String option, String output) throws IOException {
    write(
        "dir/rules.yaml",
        """
        attributes: { tier: { lookup: user, in: tiers.csv } }
        rules: [ { name: t, per: tier, limit: 1 per day } ]
        """);
    write("dir/tiers.csv", "key,value\nann,pro\n");
    Files.createDirectories(directory.resolve("other"));
    Files.copy(directory.resolve("loose.yaml"), directory.resolve("other/rules.yaml"));
    Files.createSymbolicLink(directory.resolve("link"), directory.resolve("dir/tiers.csv"));
    Files.createSymbolicLink(directory.resolve("linked"), directory.resolve("dir"));
    Files.createSymbolicLink(directory.resolve("trace-link.csv"), directory.resolve("trace.csv"));
    byte[] before = Files.readAllBytes(directory.resolve(output));

    String command = "--rules dir --compare other --trace trace.csv " + option + " " + output;
    assertThat(simulate(command)).as(err.toString()).isEqualTo(2);

    assertThat(err.toString())
        .isEqualTo(
            "weir simulate: %s is an input, and would be overwritten%n"
                .formatted(directory.resolve(output)));
    assertThat(directory.resolve(output)).hasBinaryContent(before);
    assertThat(leftovers()).isEmpty();
  }

  @Test
  void reportsAllInvalidRulesAtOnce() throws IOException {
    List<String> before = files();
    assertThat(simulate("--rules bad.yaml --compare worse.yaml --trace trace.csv --report r.html"))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("bad.yaml:2:", "did you mean 'token-bucket'?", "worse.yaml:2:", "'nam'");
    assertThat(out.toString()).isEmpty();
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void helpShowsExamples() {
    assertThat(weir("simulate", "--help")).isZero();
    assertThat(out.toString()).contains("Usage: weir simulate", "Examples:", "--compare");
  }

  @Test
  void writesToADevice() {
    int code =
        weir(
            "simulate",
            "--rules=" + directory.resolve("rules.yaml"),
            "--trace=" + directory.resolve("trace.csv"),
            "--decisions=/dev/null");
    assertThat(code).as(err.toString()).isZero();
    assertThat(Path.of("/dev/null")).exists();
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private List<String> leftovers() throws IOException {
    return files().stream().filter(name -> name.startsWith(".")).toList();
  }

  /** Words that follow an option of files, but for - itself, are files in the directory. */
  private int simulate(String line) {
    String[] words = ("simulate " + line).split(" +");
    for (int i = 2; i < words.length; i++) {
      if (words[i - 1].startsWith("--") && !words[i].equals("-")) {
        words[i] = directory.resolve(words[i]).toString();
      }
    }
    return weir(words);
  }

  private int weir(String... arguments) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Map.of(), arguments);
  }
}
