package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.cli.simulate.HtmlReport;
import io.weir.cli.simulate.OutputFile;
import io.weir.cli.simulate.ProgressBar;
import io.weir.cli.simulate.SummaryText;
import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Reading;
import io.weir.rules.replay.DecisionFile;
import io.weir.rules.replay.InvalidTraceException;
import io.weir.rules.replay.Summary;
import io.weir.rules.replay.Trace;
import io.weir.rules.replay.TraceReplay;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Replays recorded traffic through rules, in virtual time, and reports the decisions. */
@Command(
    name = "simulate",
    description = "Replays recorded traffic through rules, in virtual time, as fast as possible.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footer = {
      "",
      "A trace is CSV with a header line: 'time' (milliseconds since 1970, or ISO",
      "8601), perhaps 'cost', and a column for each attribute, such as ip, user,",
      "method, path; an empty cell is an attribute that is absent. Access logs in",
      "the common and combined formats are recognised, and so is gzip.",
      "Exit code 0 whatever was refused.",
      "",
      "Examples:",
      "  weir simulate --rules rules.yaml --trace access.log.gz --report report.html",
      "  weir simulate --rules rules/ --trace day.csv --decisions - | grep ,false,",
      "  weir simulate --rules now.yaml --compare stricter.yaml --trace day.csv \\",
      "      --report what-if.html",
      "  zcat logs/*.gz | weir simulate --rules rules.yaml --trace -"
    })
final class SimulateCommand implements Callable<Integer> {
  private static final String STANDARD = "-";
  private static final Path STANDARD_INPUT = Path.of("/dev/stdin");
  private static final Path STANDARD_OUTPUT = Path.of("/dev/stdout");
  private static final Set<Path> NAMES_OF_STANDARD_OUTPUT =
      Set.of(STANDARD_OUTPUT, Path.of("/dev/fd/1"), Path.of("/proc/self/fd/1"));
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Mixin private final RulesOption rules = new RulesOption();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      required = true,
      description = "The traffic; - is standard input.")
  private Path trace = Path.of(STANDARD);

  @Option(
      names = "--decisions",
      paramLabel = "FILE",
      description = "Writes each decision as CSV; - is standard output.")
  private @Nullable Path decisions;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Writes a report with plots, one HTML file.")
  private @Nullable Path report;

  @Option(
      names = "--compare",
      paramLabel = "FILE_OR_DIR",
      description = "Other rules: shows which decisions would differ; may be given several times.")
  private List<Path> compare = List.of();

  @Override
  public Integer call() throws IOException {
    requireGoodFiles();
    RuleSets loaded = load();
    try {
      simulate(loaded);
      return 0;
    } catch (StandardOutput.BrokenPipeException e) {
      return 0;
    } catch (IOException e) {
      CommandLine command = spec.commandLine();
      command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + inWords(e));
      return COULD_NOT_START;
    }
  }

  private void simulate(RuleSets loaded) throws IOException {
    CommandLine command = spec.commandLine();
    long started = System.nanoTime();
    try (Trace opened = open();
        @Nullable OutputFile decided = toFile(decisions);
        @Nullable OutputFile page = toFile(report)) {
      Summary summary = replay(loaded, opened, decided);
      Duration taken = Duration.ofNanos(System.nanoTime() - started);
      if (page != null) {
        String html =
            new HtmlReport(opened.name(), join(rules.paths()), join(compare), summary).html();
        page.stream().write(html.getBytes(UTF_8));
        page.keep();
      }
      if (decided != null) {
        decided.keep();
      }
      // If decisions go to standard output, other text must not be mixed into them.
      PrintWriter out = isStandardOutput(decisions) ? command.getErr() : command.getOut();
      new SummaryText(summary, out).print(opened.name(), taken);
      if (decided != null) {
        out.println("decisions: " + decisions);
      }
      if (page != null) {
        out.println("report: " + report);
      }
      out.flush();
    }
  }

  private static String inWords(IOException e) {
    String message = String.valueOf(e.getMessage());
    return e instanceof FileSystemException file && file.getReason() == null
        ? message + ": " + e.getClass().getSimpleName().replaceFirst("Exception$", "")
        : message;
  }

  private record RuleSets(RuleSet rules, @Nullable RuleSet other) {}

  /** Loads both rule sets, and reports all errors at once. */
  private RuleSets load() throws IOException {
    Reading first = RulesLoader.read(rules.paths(), spec.commandLine());
    Reading second = compare.isEmpty() ? null : RulesLoader.read(compare, spec.commandLine());
    List<Problem> problems = new ArrayList<>(first.problems());
    requireNotRead(first.files());
    if (second != null) {
      problems.addAll(second.problems());
      requireNotRead(second.files());
    }
    if (first.rules().isEmpty() || !problems.isEmpty()) {
      throw new InvalidRulesException(problems);
    }
    return new RuleSets(first.rules().get(), second == null ? null : second.rules().orElseThrow());
  }

  private Trace open() throws IOException {
    try {
      return isStandard(trace) ? Trace.open("standard input", System.in) : Trace.open(trace);
    } catch (InvalidTraceException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private Summary replay(RuleSets loaded, Trace opened, @Nullable OutputFile decided)
      throws IOException {
    TraceReplay traceReplay = TraceReplay.by(loaded.rules());
    if (loaded.other() != null) {
      traceReplay.comparedWith(loaded.other());
    }
    PrintWriter err = spec.commandLine().getErr();
    try (@Nullable DecisionFile lines = decisionsTo(decided);
        @Nullable ProgressBar bar =
            ProgressBar.isWanted() ? new ProgressBar(err, System::nanoTime) : null) {
      if (lines != null) {
        traceReplay.decisionsTo(lines);
      }
      if (bar != null) {
        traceReplay.progressTo(bar);
      }
      return traceReplay.run(opened);
    }
  }

  private @Nullable DecisionFile decisionsTo(@Nullable OutputFile decided) throws IOException {
    if (decided != null) {
      return new DecisionFile(decided.stream());
    }
    return isStandard(decisions)
        ? new DecisionFile(new WriterOutputStream(spec.commandLine().getOut()))
        : null;
  }

  private static @Nullable OutputFile toFile(@Nullable Path path) throws IOException {
    return path == null || isStandard(path) ? null : OutputFile.create(path);
  }

  private static boolean isStandard(@Nullable Path path) {
    return path != null && path.toString().equals(STANDARD);
  }

  private static boolean isStandardOutput(@Nullable Path path) {
    return path != null
        && (isStandard(path)
            || NAMES_OF_STANDARD_OUTPUT.contains(path.toAbsolutePath().normalize()));
  }

  private static String join(List<Path> paths) {
    return paths.stream().map(Path::toString).collect(Collectors.joining(", "));
  }

  /** Reports problems with files before any work starts. */
  private void requireGoodFiles() throws IOException {
    CommandLine command = spec.commandLine();
    rules.paths().forEach(path -> RulesLoader.requireReadable(path, command));
    compare.forEach(path -> RulesLoader.requireReadable(path, command));
    if (!isStandard(trace)) {
      RulesLoader.requireFile(trace, command);
    }
    require(!isStandard(report), "--report needs the name of a file, such as report.html");
    requireWritable(decisions);
    requireWritable(report);
    requireNotRead(rules.paths());
    requireNotRead(compare);
    requireNotRead(List.of(isStandard(trace) ? STANDARD_INPUT : trace));
    require(
        decisions == null || report == null || !isSame(decisions, report),
        "--decisions and --report are the same file: " + report);
  }

  private void requireWritable(@Nullable Path output) {
    if (output == null || isStandard(output)) {
      return;
    }
    OutputFile.writeProblem(output)
        .ifPresent(
            problem -> {
              throw new ParameterException(spec.commandLine(), problem);
            });
  }

  /** Ensures that no output replaces any of {@code inputs}, under whatever name. */
  private void requireNotRead(Collection<Path> inputs) throws IOException {
    for (Path output : outputs()) {
      for (Path input : inputs) {
        require(
            !(Files.isRegularFile(output) && isSame(input, output)),
            output + " is an input, and would be overwritten");
      }
    }
  }

  private List<Path> outputs() {
    List<Path> outputs = new ArrayList<>();
    if (decisions != null) {
      outputs.add(isStandard(decisions) ? STANDARD_OUTPUT : decisions);
    }
    if (report != null) {
      outputs.add(report);
    }
    return outputs;
  }

  private static boolean isSame(Path one, Path other) throws IOException {
    return real(one).equals(real(other))
        || (Files.isRegularFile(one) && Files.isRegularFile(other) && Files.isSameFile(one, other));
  }

  /** The real path of {@code path}; for a file that does not exist yet, its future path. */
  private static Path real(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    try {
      Path parent = path.toAbsolutePath().getParent();
      return Files.exists(path) || parent == null
          ? path.toRealPath()
          : parent.toRealPath().resolve(absolute.getFileName());
    } catch (IOException e) {
      return absolute; // a pipe has no other name
    }
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
