package io.weir.cli;

import io.weir.cli.node.Node;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which running node is asked, and with what token. */
final class AdminOption {
  static final String ABOUT_TOKENS =
      "A node that has a token (admin_token) wants it: put it into WEIR_ADMIN_TOKEN, since others"
          + " on the machine can read command lines.";

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The admin port of the node.",
      defaultValue = "http://127.0.0.1:8082")
  private String admin;

  @Option(
      names = {"--token", "--admin-token"}, // the longer one names its twin in the environment
      paramLabel = "TOKEN",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "The token of the admin port; better in WEIR_ADMIN_TOKEN.")
  private @Nullable String token;

  Node node(CommandLine command) {
    return new Node(base(command), token == null || token.isEmpty() ? null : token);
  }

  private URI base(CommandLine command) {
    try {
      URI uri = URI.create(admin);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        String path = String.valueOf(uri.getRawPath());
        return uri.resolve(path.endsWith("/") ? path : path + "/"); // no query, no fragment
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    throw new ParameterException(
        command, "--admin must be a URL such as http://127.0.0.1:8082, not '" + admin + "'");
  }
}
