package io.weir.cli.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A client of a node's admin port. Thread-safe; requests block. */
public final class AdminClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();
  private final URI admin;
  private final @Nullable String token;

  /**
   * @param token the bearer token; null: none is sent
   */
  public AdminClient(URI admin, @Nullable String token) {
    this.admin = admin;
    this.token = token;
  }

  /** {@code name=value}, encoded for a query. */
  public static String parameter(String name, String value) {
    return URLEncoder.encode(name, UTF_8) + "=" + URLEncoder.encode(value, UTF_8);
  }

  /**
   * The body of a page; empty if there is no such page.
   *
   * @throws NodeUnavailableException if there is no response, or not the expected one
   */
  public Optional<String> get(String path) throws InterruptedException {
    Response response = send("GET", path);
    return switch (response.status()) {
      case 200 -> Optional.of(response.body());
      case 404 -> Optional.empty();
      case 400 -> throw new BadRequestException(response.message());
      default ->
          throw new NodeUnavailableException(
              admin + " answered " + response.status() + ": " + line(response.body()));
    };
  }

  /**
   * Sends a request.
   *
   * @param path with a query if there is one
   * @throws NodeUnavailableException if there is no response, or if the token is refused
   */
  public Response send(String method, String path) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(below(path))
            .timeout(TIMEOUT)
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      HttpResponse<String> response =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
      if (response.statusCode() == 401) {
        throw new NodeUnavailableException(
            admin
                + " wants a token; "
                + (token == null ? "give it" : "this one is wrong; give another")
                + " by --token or WEIR_ADMIN_TOKEN");
      }
      return new Response(response.statusCode(), response.body());
    } catch (ConnectException e) {
      throw new NodeUnavailableException(
          "nothing listens at " + admin + "; start ./weir serve, or name another by --admin URL");
    } catch (HttpTimeoutException e) {
      throw new NodeUnavailableException(
          admin + " did not answer within " + TIMEOUT.toSeconds() + " s");
    } catch (IOException e) {
      throw new NodeUnavailableException(admin + " is not a Weir admin port: " + e.getMessage());
    }
  }

  /** Resolves a path; behind a proxy the admin port may be below a path prefix. */
  private URI below(String path) {
    String base = admin.toString();
    return URI.create(
        base.endsWith("/") ? base.substring(0, base.length() - 1) + path : base + path);
  }

  /** A response. */
  public record Response(int status, String body) {
    /** The error message in a line. */
    public String message() {
      JsonValue jsonValue = JsonValue.of(body);
      String message = jsonValue.at("message").text();
      return message.isEmpty() ? "the node answers " + status + ": " + line(body) : message;
    }
  }

  @Override
  public String toString() {
    return admin.toString();
  }

  private static String line(String body) {
    return TerminalSanitizer.text(body.length() > 200 ? body.substring(0, 200) : body).strip();
  }

  /** There is no response, or not the expected one; the message has the reason and what to do. */
  public static class NodeUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NodeUnavailableException(String message) {
      super(message);
    }
  }

  /** The node rejected the request as malformed; the message has the reason. */
  public static final class BadRequestException extends NodeUnavailableException {
    private static final long serialVersionUID = 1;

    BadRequestException(String message) {
      super(message);
    }
  }
}
