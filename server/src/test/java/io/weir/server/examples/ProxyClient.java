package io.weir.server.examples;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A client of a proxy. */
final class ProxyClient {
  /** More than any response may take, even if a server is down. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port;

  ProxyClient(int port) {
    this.port = port;
  }

  /** {@code headers}: names and values by turns. */
  HttpResponse<String> get(String path, String... headers) {
    return send("GET", path, BodyPublishers.noBody(), headers);
  }

  HttpResponse<String> head(String path, String... headers) {
    return send("HEAD", path, BodyPublishers.noBody(), headers);
  }

  HttpResponse<String> post(String path, int length, String... headers) {
    return send("POST", path, BodyPublishers.ofByteArray(new byte[length]), headers);
  }

  HttpResponse<String> postJson(String path, String json) {
    return send("POST", path, BodyPublishers.ofString(json));
  }

  HttpResponse<String> postInChunks(String path, int length, String... headers) {
    BodyPublisher body =
        BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[length]));
    return send("POST", path, body, headers);
  }

  private HttpResponse<String> send(
      String method, String path, BodyPublisher body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(PATIENCE)
            .method(method, body);
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } catch (Exception e) {
      throw new AssertionError(method + " " + path, e);
    }
  }

  /** The statuses of so many requests, one after the other. */
  List<Integer> statuses(int times, String path, String... headers) {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      statuses.add(get(path, headers).statusCode());
    }
    return statuses;
  }

  /** A header of a response, or null. */
  static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse(null);
  }

  /** Whether Weir has decided: the response has rate limit headers. */
  static boolean isLimited(HttpResponse<?> response) {
    return header(response, "X-RateLimit-Limit") != null;
  }
}
