package io.weir.server.nodes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks by {@code POST /v1/check}. */
final class HttpCaller implements Caller {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI check;

  HttpCaller(WeirNode node) {
    check = URI.create("http://127.0.0.1:" + node.port() + "/v1/check");
  }

  @Override
  public Heard ask(String kind, String user) {
    String question = "{\"attributes\":{\"kind\":\"%s\",\"user\":\"%s\"}}".formatted(kind, user);
    HttpRequest request =
        HttpRequest.newBuilder(check)
            .timeout(Duration.ofSeconds(30))
            .POST(HttpRequest.BodyPublishers.ofString(question))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      return new Heard(
          outcome(answer),
          answer.body().contains("\"origin\":\"failure\""),
          answer.headers().firstValue("Retry-After").orElse(""),
          answer.statusCode() + " " + answer.body());
    } catch (IOException e) {
      return Heard.broken(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Heard.broken(e);
    }
  }

  private static Outcome outcome(HttpResponse<String> answer) {
    return switch (answer.statusCode()) {
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
