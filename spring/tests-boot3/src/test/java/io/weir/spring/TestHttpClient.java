package io.weir.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;

/** Calls an application. */
record TestHttpClient(int port) {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final Duration LONGEST = Duration.ofSeconds(30);

  HttpResponse<String> get(String path, String... headers) {
    return send("GET", path, headers);
  }

  HttpResponse<String> as(String user, String path) {
    String secret =
        Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
    return get(path, "Authorization", "Basic " + secret);
  }

  HttpResponse<String> send(String method, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(LONGEST)
            .method(method, HttpRequest.BodyPublishers.noBody());
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
