package io.weir.cli;

import io.weir.cli.node.AdminClient;
import io.weir.cli.serve.SecretFile;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The admin URL of a running node, and its token. */
final class AdminOption {
  static final String ABOUT_TOKENS =
      "If the node has a token (admin_token), put it into WEIR_ADMIN_TOKEN, or its"
          + " file into WEIR_ADMIN_TOKEN_FILE, because other users can read command lines.";

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The admin port of the node.",
      defaultValue = "http://127.0.0.1:8082")
  private String admin;

  @Option(
      names = {"--token", "--admin-token"}, // the variable's name comes from the longer one
      paramLabel = "TOKEN",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "The token of the admin port; better in a file.")
  private @Nullable String token;

  @Option(
      names = {"--token-file", "--admin-token-file"},
      paramLabel = "FILE",
      description = "A file that holds that token.")
  private @Nullable Path tokenFile;

  AdminClient node(CommandLine command) {
    return new AdminClient(base(command), token(command));
  }

  private @Nullable String token(CommandLine command) {
    if (token != null && !token.isEmpty()) {
      return token;
    }
    if (tokenFile == null) {
      return null;
    }
    try {
      return SecretFile.read(tokenFile);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, "--admin-token-file " + e.getMessage(), e);
    }
  }

  private URI base(CommandLine command) {
    try {
      URI uri = URI.create(admin);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        String path = String.valueOf(uri.getRawPath());
        return uri.resolve(path.endsWith("/") ? path : path + "/"); // drops query and fragment
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw new ParameterException(
        command, "--admin must be a URL such as http://127.0.0.1:8082, not '" + admin + "'");
  }
}
