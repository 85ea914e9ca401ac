package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
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

/** What {@code weir keys get}, {@code reset} and {@code grant} have in common. */
abstract class KeyCommand implements Callable<Integer> {
  private static final int NO = 1;
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Option(names = "--rule", required = true, paramLabel = "RULE", description = "Its name.")
  private String rule;

  @Option(
      names = "--domain",
      paramLabel = "DOMAIN",
      description = "Of the rule, where several domains have one of that name.")
  private @Nullable String domain;

  @Parameters(
      arity = "0..*",
      paramLabel = "ATTRIBUTE=VALUE",
      description = "Who: the attributes that the rule is per, such as user=42.")
  private List<String> attributes = List.of();

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "Who, by the id that weir top and the dashboard tell.")
  private @Nullable String id;

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--json", description = "Print what the node answers, as it is.")
  private boolean isJson;

  abstract String method();

  abstract String path();

  String more() {
    return "";
  }

  @Override
  public Integer call() {
    HttpResponse<String> answer;
    try {
      answer = admin.ask(method(), path() + query() + more(), spec.commandLine());
    } catch (IOException e) {
      return fail(String.valueOf(e.getMessage()), COULD_NOT_START);
    }
    if (answer.statusCode() == 200) {
      CommandLine command = spec.commandLine();
      if (isJson) {
        command.getOut().println(answer.body());
      } else {
        new KeyText(answer.body()).lines().forEach(command.getOut()::println);
      }
      return 0;
    }
    boolean isWrong =
        answer.statusCode() == 400 || answer.statusCode() == 401 || answer.statusCode() == 403;
    return fail(KeyText.message(answer), isWrong ? WRONG_USE : NO);
  }

  private int fail(String why, int code) {
    spec.commandLine().getErr().println(spec.qualifiedName() + ": " + why);
    return code;
  }

  private String query() {
    StringBuilder query = new StringBuilder("?rule=").append(encoded(rule));
    if (domain != null) {
      query.append("&domain=").append(encoded(domain));
    }
    if (id != null) {
      if (!attributes.isEmpty()) {
        throw new ParameterException(
            spec.commandLine(), "say who by --id or by attributes, not by both");
      }
      query.append("&id=").append(encoded(id));
    }
    for (String attribute : attributes) {
      int equals = attribute.indexOf('=');
      if (equals < 1) {
        throw new ParameterException(
            spec.commandLine(), "'" + attribute + "' is no attribute; write user=42");
      }
      query.append('&').append(encoded(attribute.substring(0, equals)));
      query.append('=').append(encoded(attribute.substring(equals + 1)));
    }
    return query.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }
}
