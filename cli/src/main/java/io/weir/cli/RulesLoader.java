package io.weir.cli;

import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The rule files given to a command. */
final class RulesLoader {
  private static final int MAX_PRINTED = 1000;

  private RulesLoader() {}

  /**
   * Loads the rules.
   *
   * @throws ParameterException if a file does not exist: a usage error
   * @throws InvalidRulesException if the rules are invalid
   */
  static RuleSet load(List<Path> paths, CommandLine command) {
    Reading reading = read(paths, command);
    return reading.rules().orElseThrow(() -> new InvalidRulesException(reading.problems()));
  }

  /**
   * Reads the rules; the result has the rules or the problems.
   *
   * @throws ParameterException if a file does not exist: a usage error
   */
  static Reading read(List<Path> paths, CommandLine command) {
    paths.forEach(path -> requireReadable(path, command));
    Reading reading = RuleFiles.read(paths);
    reading.rules().ifPresent(rules -> warnOfDescriptors(rules, command));
    return reading;
  }

  private static void warnOfDescriptors(RuleSet rules, CommandLine command) {
    long descriptors =
        rules.domains().stream().mapToLong(each -> each.descriptors().limits().size()).sum();
    if (descriptors > 0) {
      command
          .getErr()
          .printf(
              "%s: %d limits of the Envoy form are for descriptors, not for requests: left out%n",
              command.getCommandSpec().qualifiedName(), descriptors);
    }
  }

  /** Reports a usage error unless {@code path} can be read. */
  static void requireReadable(Path path, CommandLine command) {
    if (!Files.exists(path)) {
      throw new ParameterException(command, "no such file: " + path);
    }
    if (!Files.isReadable(path)) {
      throw new ParameterException(command, "no permission to read " + path);
    }
  }

  /** Reports a usage error unless {@code path} is a readable file. */
  static void requireFile(Path path, CommandLine command) {
    requireReadable(path, command);
    if (Files.isDirectory(path)) {
      throw new ParameterException(command, path + " is a directory; name a file");
    }
  }

  /** Prints one line for each problem, up to a limit. */
  static void print(List<Problem> problems, PrintWriter err) {
    problems.stream().limit(MAX_PRINTED).forEach(err::println);
    if (problems.size() > MAX_PRINTED) {
      err.println("… and " + (problems.size() - MAX_PRINTED) + " more");
    }
  }
}
