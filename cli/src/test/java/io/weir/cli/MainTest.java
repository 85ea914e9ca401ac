package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.weir.cli.serve.Arguments;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command as a person types it: arguments in; output, errors and an exit code out. */
class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void helpNamesTheCommands() {
    assertThat(weir("--help")).isZero();
    assertThat(out.toString()).contains("Usage: weir", "demo", "Exit codes");
    assertThat(err.toString()).isEmpty();
  }

  /** No description is cut, however long. */
  @Test
  void helpHasTheCompleteSentenceOfEachCommand() {
    assertThat(weir("--help")).isZero();
    String words = out.toString().replaceAll("\\s+", " ");
    assertThat(words)
        .contains(
            "explain Shows which rules apply to a request and why, with which key, the decision, and"
                + " what the caller gets. Nothing is sent anywhere.");
    new CommandLine(new Main())
        .getSubcommands()
        .forEach(
            (name, command) -> {
              String[] description = command.getCommandSpec().usageMessage().description();
              assertThat(description).as(name).hasSize(1);
              assertThat(words).contains(name + " " + description[0]);
            });
  }

  @Test
  void versionIsThatOfTheBuild() {
    assertThat(weir("--version")).isZero();
    assertThat(out.toString().strip()).matches("weir \\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
  }

  @ParameterizedTest(name = "weir {0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          ""                            | weir: a command is missing; see weir --help
          dmeo                          | weir: unknown command 'dmeo'; did you mean 'demo'?
          fly                           | weir: unknown command 'fly'
          --hlep                        | weir: unknown option '--hlep'; did you mean '--help'?
          demo --limt 3                 | weir demo: unknown option '--limt'; did you mean '--limit'?
          demo now                      | weir demo: unexpected argument 'now'
          demo --algorithm tokn-bucket  | unknown algorithm 'tokn-bucket'; did you mean 'token-bucket'?
          demo --period soon            | 'soon' is no length of time; write 250ms, 30s, 15m, 2h or 7d
          demo --period 0s              | period
          demo --limit -1               | permits
          demo --limit many             | 'many'
          demo --requests 0             | --requests must be from 1 to 10000
          demo --store rediss//here     | no store for 'rediss//here'
          demo --store redis://:s3c@    | host
          demo --on-failure maybe       | 'maybe'
          demo --cost -1                | --cost must not be negative
          demo --algorithm sliding-log --burst 3 | --burst is for token-bucket only
          serve --port 1               | weir serve: unknown option '--port'; did you mean '--gateway-port', '--service-port' or '--admin-port'?
          serve --admin-prot 1         | weir serve: unknown option '--admin-prot'; did you mean '--admin-port'?
          serve now                     | weir serve: unexpected argument 'now'
          serve --admin-port            | weir serve: --admin-port PORT is missing; see weir serve --help
          serve --admin-port 1 --admin-port 2 | weir serve: option '--admin-port' (PORT) should be specified only once
          serve --admin-port 1x         | weir serve: --admin-port '1x' must be a whole number from 0 to 65535
          serve --envoy-quota maybe     | weir serve: --envoy-quota 'maybe' must be true or false
          serve --config none.yaml      | weir serve: none.yaml does not exist
          serve --config .              | weir serve: . is a directory; name a file
          serve --rules none.yaml       | weir serve: --rules 'none.yaml' does not exist
          serve --store cluster:        | weir serve: --store cluster: comes later; use memory or redis://host:6379
          demo --algorithm sliding-log --queue 3 | --queue is for leaky-bucket only
          """)
  void wrongUseIsOneLineAndExitCode2(String arguments, String message) {
    assertThat(weir(arguments.isEmpty() ? new String[0] : arguments.split(" +"))).isEqualTo(2);
    assertThat(err.toString()).contains(message).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"memory,demo", "stack,demo", "memory,serve", "stack,serve"})
  void tooLittleMemoryIsOneLineAndExitCode3(String room, String command) {
    Map<String, String> tooLarge =
        new AbstractMap<>() {
          @Override
          public String get(Object key) {
            throw room.equals("stack") ? new StackOverflowError() : new OutOfMemoryError("heap");
          }

          @Override
          public Set<Entry<String, String>> entrySet() {
            return Set.of();
          }
        };
    PrintWriter to = new PrintWriter(out, true);
    AtomicInteger code = new AtomicInteger();

    assertThatCode(() -> code.set(Main.run(to, new PrintWriter(err, true), tooLarge, command)))
        .doesNotThrowAnyException();
    assertThat(code).hasValue(3);
    assertThat(err.toString()).contains(": out of " + room + "; give it more").hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void serverThatFailsUnexpectedlyReportsItInOneLine() {
    Map<String, String> broken = Map.of("WEIR_CONFIG", "no\0path");
    PrintWriter to = new PrintWriter(out, true);

    assertThat(Main.run(to, new PrintWriter(err, true), broken, "serve")).isEqualTo(3);
    assertThat(err.toString()).startsWith("weir serve: ").contains("Nul character").hasLineCount(1);
  }

  /** The short way and the long one read the same. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--admin-port 1 --bind=:: --drain 1s",
        "--rules a --rules b,c --config=weir.yaml",
        "--envoy-quota --envoy-shadow=false --envoy-counting true --envoy-metadata",
        "--store redis://h?a=b --headers none",
        "--service-token= --upstream=http://h/?a=b=c"
      })
  void plainArgumentsAreReadAlike(String words) {
    List<String> line = words.isEmpty() ? List.of() : List.of(words.split(" "));
    CommandLine command = new CommandLine(new Main());
    List<String> whole = new ArrayList<>(line);
    whole.add(0, "serve");
    command.parseArgs(whole.toArray(String[]::new));
    ServeCommand serveCommand = command.getSubcommands().get("serve").getCommand();
    assertThat(Arguments.plain(line)).contains(serveCommand.arguments());
  }

  @Test
  void demoShowsOneLineARequest() {
    int code =
        weir(
            ("demo --algorithm token-bucket --limit 3 --period 10s --burst 2"
                    + " --requests 5 --every 1s")
                .split(" "));

    assertThat(code).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "5 requests of cost 1, one every 1.000s",
            "",
            "token-bucket 3 per 10s, burst 2",
            "      time  answer   remaining  retry after      delay",
            "    0.000s  allowed          1            -          -",
            "    1.000s  allowed          0            -          -",
            "    2.000s  refused          0       1.334s          -",
            "    3.000s  refused          0       0.334s          -",
            "    4.000s  allowed          0            -          -",
            "",
            "token-bucket    3 of 5 allowed  ++..+");
  }

  @Test
  void demoShowsDelaysAndWhatNeverFits() {
    assertThat(weir("demo", "--algorithm=leaky-bucket", "--limit=1", "--queue=2", "--every=0s"))
        .isZero();
    assertThat(out.toString()).contains("5.000s", "10.000s");

    assertThat(weir("demo", "--algorithm=sliding-log", "--limit=1", "--cost=2")).isZero();
    assertThat(out.toString()).contains("never", "0 of 20 allowed");
  }

  @ParameterizedTest
  @EnumSource
  void demoKnowsEveryAlgorithm(AlgorithmName algorithmName) {
    assertThat(weir("demo", "--algorithm", algorithmName.toString())).isZero();
    assertThat(out.toString()).contains("\n" + algorithmName + " 5 per 5s", "+++++");
  }

  @Test
  void optionOverridesItsEnvironmentVariable() {
    assertThat(weir(Map.of("WEIR_REQUESTS", "7"), "demo")).isZero();
    assertThat(out.toString()).startsWith("7 requests");

    out.getBuffer().setLength(0);
    assertThat(weir(Map.of("WEIR_REQUESTS", "7"), "demo", "--requests", "8")).isZero();
    assertThat(out.toString()).startsWith("8 requests");
  }

  private int weir(String... arguments) {
    return weir(Map.of(), arguments);
  }

  private int weir(Map<String, String> environment, String... arguments) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), environment, arguments);
  }
}
