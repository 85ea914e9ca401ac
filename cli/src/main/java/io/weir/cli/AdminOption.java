package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which running node is asked, and with what token. */
final class AdminOption {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The admin port of the node.",
      defaultValue = "http://127.0.0.1:8082")
  private String admin;

  @Option(
      names = {"--token", "--admin-token"},
      paramLabel = "TOKEN",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "The token of the admin port; better in WEIR_ADMIN_TOKEN.")
  private @Nullable String token;

  /**
   * Asks the node.
   *
   * @param target path and query
   * @throws IOException if it cannot be reached; the message says where
   */
  HttpResponse<String> ask(String method, String target, CommandLine command) throws IOException {
    URI base = base(command);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(base.resolve(target))
            .timeout(PATIENCE)
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (token != null && !token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      return HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(PATIENCE)
          .build()
          .send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
    } catch (IOException e) {
      throw new IOException(
          "no answer from " + base + "; is weir serve running there? --admin says where", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private URI base(CommandLine command) {
    try {
      URI uri = URI.create(admin);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        return uri.resolve("/");
      }
    } catch (IllegalArgumentException e) {
      // told below
    }
    throw new ParameterException(
        command, "--admin must be a URL such as http://127.0.0.1:8082, not '" + admin + "'");
  }
}
