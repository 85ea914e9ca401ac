package io.weir.cli;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option {@code --rules} of several commands. */
final class RulesOption {
  @Option(
      names = "--rules",
      paramLabel = "FILE_OR_DIR",
      required = true,
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "The rules; may be given several times.")
  private List<Path> paths = List.of();

  List<Path> paths() {
    return paths;
  }
}
