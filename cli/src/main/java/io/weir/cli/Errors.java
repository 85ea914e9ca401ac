package io.weir.cli;

import io.weir.rules.file.DidYouMean;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is said when a command cannot do its job: one line on stderr, and the exit code. */
final class Errors {
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  private Errors() {}

  static int wrongUse(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + message(e));
    return WRONG_USE;
  }

  static int couldNotStart(Exception e, CommandLine command, ParseResult parsed) {
    command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + e);
    return COULD_NOT_START;
  }

  private static String message(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return String.valueOf(e.getMessage());
    }
    CommandLine command = e.getCommandLine();
    String word = unmatched.getUnmatched().get(0);
    if (word.startsWith("-")) {
      return "unknown option '" + word + "'" + DidYouMean.of(word, options(command));
    }
    if (command.getSubcommands().isEmpty()) {
      return "unexpected argument '" + word + "'";
    }
    List<String> commands = List.copyOf(command.getSubcommands().keySet());
    return "unknown command '" + word + "'" + DidYouMean.of(word, commands);
  }

  private static List<String> options(CommandLine command) {
    return command.getCommandSpec().options().stream()
        .flatMap(option -> Stream.of(option.names()))
        .toList();
  }
}
