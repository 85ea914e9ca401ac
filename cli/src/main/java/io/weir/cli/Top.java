package io.weir.cli;

import io.weir.cli.top.Node;
import io.weir.cli.top.Watching;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows a node at work. */
@Command(
    name = "top",
    description =
        "Shows what a running server does: rates over time, rules, and the callers that are refused"
            + " most or are near their limits. A line each second where there is no terminal.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Keys: q quit, s sort, up and down choose a rule, r show only that rule, left and right the",
      "range. The token is that of the admin port: WEIR_TOKEN or WEIR_ADMIN_TOKEN."
    })
final class Top implements Callable<Integer> {
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The admin port. Default: ${DEFAULT-VALUE}",
      defaultValue = "http://127.0.0.1:8082")
  private String admin;

  @Option(names = "--token", paramLabel = "TOKEN", description = "What the admin port asks for.")
  private @Nullable String token;

  @Option(names = "--rule", paramLabel = "NAME", description = "Only this rule over time.")
  private @Nullable String rule;

  @Option(names = "--once", description = "Says once what there is, and ends.")
  private boolean once;

  @Option(names = "--json", description = "With --once: as the admin port says it.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    if (json && !once) {
      throw new ParameterException(spec.commandLine(), "--json goes with --once");
    }
    Watching watching = new Watching(new Node(url(), token()), rule);
    try {
      if (json) {
        watching.onceAsJson(spec.commandLine().getOut());
      } else if (once) {
        watching.once(spec.commandLine().getOut());
      } else if (!watching.draw()) {
        watching.lines(spec.commandLine().getOut());
      }
      return 0;
    } catch (Node.UnansweredException e) {
      spec.commandLine().getErr().println("weir top: " + e.getMessage());
      return COULD_NOT_START;
    }
  }

  private URI url() {
    try {
      URI url = URI.create(admin.endsWith("/") ? admin : admin + "/");
      String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
      if (url.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        return url;
      }
    } catch (IllegalArgumentException e) {
      // It is told below.
    }
    throw new ParameterException(
        spec.commandLine(), "--admin '" + admin + "' must be a URL such as http://127.0.0.1:8082");
  }

  /** That of the server's own variable too: who has set it means this one. */
  private @Nullable String token() {
    Map<String, String> environment =
        spec.defaultValueProvider() instanceof EnvironmentTwin twin ? twin.environment() : Map.of();
    return token == null ? environment.get("WEIR_ADMIN_TOKEN") : token;
  }
}
