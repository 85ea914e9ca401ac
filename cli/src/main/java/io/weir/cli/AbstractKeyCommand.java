package io.weir.cli;

import io.weir.cli.node.AdminClient;
import io.weir.cli.node.JsonValue;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The options and errors that {@code weir keys get}, {@code reset} and {@code grant} share. */
abstract class AbstractKeyCommand implements Callable<Integer> {
  static final String EXIT_CODES =
      "Exit codes: 0 good, 1 no caller is known by this id or the store cannot be asked, 2 wrong"
          + " use or no such rule, 3 the node does not answer or wants another token.";
  static final String IDS = "Ids are shown by weir top, the dashboard and /v1/top.";

  private static final int NO = 1;
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Option(
      names = "--rule",
      required = true,
      paramLabel = "RULE",
      description = "The name of the rule.")
  private String rule;

  @Option(
      names = "--domain",
      paramLabel = "DOMAIN",
      description = "Of the rule, where several domains have one of that name.")
  private @Nullable String domain;

  @Parameters(
      arity = "0..*",
      paramLabel = "ATTRIBUTE=VALUE",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "The caller: the attributes that the rule is per, such as user=42.")
  private List<String> attributes = List.of();

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "The caller, instead: the id that weir top and the dashboard show.")
  private @Nullable String id;

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--json", description = "Print the node's response unchanged.")
  private boolean isJson;

  abstract String method();

  abstract String path();

  String more() {
    return "";
  }

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    try {
      AdminClient.Response response = admin.node(command).send(method(), path() + query() + more());
      if (response.status() != 200) {
        boolean isWrong = response.status() == 400 || response.status() == 403;
        return fail(response.message(), isWrong ? WRONG_USE : NO);
      }
      if (isJson) {
        command.getOut().println(response.body());
      } else {
        KeyText.lines(JsonValue.of(response.body())).forEach(command.getOut()::println);
      }
      return 0;
    } catch (AdminClient.NodeUnavailableException e) {
      return fail(String.valueOf(e.getMessage()), COULD_NOT_START);
    }
  }

  private int fail(String why, int code) {
    spec.commandLine().getErr().println(spec.qualifiedName() + ": " + why);
    return code;
  }

  private String query() {
    StringBuilder query = new StringBuilder("?").append(AdminClient.parameter("rule", rule));
    if (domain != null) {
      query.append('&').append(AdminClient.parameter("domain", domain));
    }
    if (id != null) {
      if (!attributes.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(), "name the caller by --id or by attributes, not by both");
      }
      query.append('&').append(AdminClient.parameter("id", id));
    }
    for (String attribute : attributes) {
      int equals = attribute.indexOf('=');
      if (equals < 1) {
        throw new ParameterException(
            spec.commandLine(), "'" + attribute + "' is no attribute; write user=42");
      }
      String name = attribute.substring(0, equals);
      query.append('&').append(AdminClient.parameter(name, attribute.substring(equals + 1)));
    }
    return query.toString();
  }
}
