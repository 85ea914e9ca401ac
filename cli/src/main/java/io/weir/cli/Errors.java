package io.weir.cli;

import io.weir.rules.file.InvalidRulesException;
import io.weir.text.DidYouMean;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports why a command failed: one line on stderr, and the exit code. */
final class Errors {
  private static final int NO = 1;
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  private Errors() {}

  static int wrongUse(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    command.getErr().println(command.getCommandSpec().qualifiedName() + ": " + message(e, args));
    return WRONG_USE;
  }

  static int failed(Exception e, CommandLine command, ParseResult parsed) {
    return failed(e, command.getCommandSpec().qualifiedName(), command.getErr());
  }

  static int failed(Exception e, String command, PrintWriter err) {
    if (e instanceof InvalidRulesException invalid) {
      RulesLoader.print(invalid.problems(), err);
      return NO;
    }
    err.println(command + ": " + e);
    return COULD_NOT_START;
  }

  /** The input is too large for the JVM's memory. */
  static int tooLarge(VirtualMachineError e, CommandLine command) {
    ParseResult parsed = command.getParseResult();
    while (parsed != null && parsed.hasSubcommand()) {
      parsed = parsed.subcommand();
    }
    String name =
        (parsed == null ? command.getCommandSpec() : parsed.commandSpec()).qualifiedName();
    return tooLarge(e, name, command.getErr());
  }

  static int tooLarge(VirtualMachineError e, String command, PrintWriter err) {
    boolean isStack = e instanceof StackOverflowError;
    err.println(
        command
            + (isStack ? ": out of stack" : ": out of memory")
            + "; give it more: WEIR_JAVA_OPTS="
            + (isStack ? "-Xss16m" : "-Xmx4g"));
    return COULD_NOT_START;
  }

  private static String message(ParameterException e, String[] args) {
    if (e instanceof MissingParameterException missing) {
      return missing(missing.getMissing(), e.getCommandLine(), args);
    }
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return String.valueOf(e.getMessage())
          .replaceFirst(" is not an? (long|int)$", " is no whole number");
    }
    CommandLine command = e.getCommandLine();
    String word = unmatched.getUnmatched().get(0);
    if (word.startsWith("-")) {
      return unknownOption(word, options(command));
    }
    if (command.getSubcommands().isEmpty()) {
      return "unexpected argument '" + word + "'";
    }
    List<String> commands = List.copyOf(command.getSubcommands().keySet());
    return "unknown command '" + word + "'" + DidYouMean.of(word, commands);
  }

  private static String unknownOption(String word, List<String> known) {
    return "unknown option '" + word + "'" + DidYouMean.of(word, known);
  }

  /** The missing argument, or the misspelt option that caused it. */
  private static String missing(List<ArgSpec> arguments, CommandLine command, String[] args) {
    List<String> known = options(command);
    for (String arg : args) {
      String word = arg.startsWith("--") ? arg.replaceFirst("=.*", "") : "";
      if (word.length() > 2 && !known.contains(word)) {
        return unknownOption(word, known);
      }
    }
    String names = arguments.stream().map(Errors::name).collect(Collectors.joining(" and "));
    return names
        + (arguments.size() > 1 ? " are" : " is")
        + (" missing; see " + command.getCommandSpec().qualifiedName() + " --help");
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? option.longestName() + " " + option.paramLabel()
        : argument.paramLabel();
  }

  private static List<String> options(CommandLine command) {
    return command.getCommandSpec().options().stream()
        .flatMap(option -> Stream.of(option.names()))
        .toList();
  }
}
