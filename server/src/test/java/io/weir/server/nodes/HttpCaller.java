package io.weir.server.nodes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Checks by {@code POST /v1/check}. */
final class HttpCaller implements Caller {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI check;

  HttpCaller(WeirNode node) {
    check = URI.create("http://127.0.0.1:" + node.port() + "/v1/check");
  }

  @Override
  public NodeResponse check(String kind, String user) {
    String json = "{\"attributes\":{\"kind\":\"%s\",\"user\":\"%s\"}}".formatted(kind, user);
    HttpRequest request =
        HttpRequest.newBuilder(check)
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      return new NodeResponse(
          outcome(response),
          response.body().contains("\"origin\":\"failure\""),
          response.headers().firstValue("Retry-After").orElse(""),
          response.statusCode() + " " + response.body());
    } catch (IOException e) {
      return NodeResponse.broken(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return NodeResponse.broken(e);
    }
  }

  private static Outcome outcome(HttpResponse<String> response) {
    return switch (response.statusCode()) {
      case 200 -> Outcome.ALLOWED;
      case 429 -> Outcome.REFUSED;
      case 503 -> Outcome.UNAVAILABLE;
      default -> Outcome.BROKEN;
    };
  }

  @Override
  public void close() {
    // The client has nothing to close.
  }

  @Override
  public String toString() {
    return "HTTP to " + check;
  }
}
