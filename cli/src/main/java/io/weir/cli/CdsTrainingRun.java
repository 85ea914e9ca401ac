package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sun.misc.Signal;

/**
 * Starts the server on free ports, sends one request to each front end, and ends. The JVM records
 * the classes that a start needs, so that later starts find them in an archive. Not a command; the
 * scripts that build {@code weir.jar} run it.
 */
final class CdsTrainingRun {
  private static final Pattern ADDRESS =
      Pattern.compile("(gateway|service|admin)=http://[^:]+:(\\d+)");
  private static final long TIMEOUT_MILLIS = TimeUnit.SECONDS.toMillis(60);

  private CdsTrainingRun() {}

  /** Exits with 0 if each front end has responded. */
  public static void main(String[] args) throws Exception {
    StringWriter stdout = new StringWriter();
    Map<String, String> anyPort =
        Map.of("WEIR_GATEWAY_PORT", "0", "WEIR_SERVICE_PORT", "0", "WEIR_ADMIN_PORT", "0");
    PrintWriter discarded = new PrintWriter(OutputStream.nullOutputStream(), false, UTF_8);
    Thread requests = new Thread(() -> sendRequests(stdout), "training-run");
    requests.setDaemon(true);
    requests.start();
    int code = Main.run(new PrintWriter(stdout, true), discarded, anyPort, "serve");
    System.exit(code);
  }

  private static void sendRequests(StringWriter stdout) {
    Vertx vertx = Vertx.vertx();
    try {
      long start = System.currentTimeMillis();
      while (!stdout.toString().contains("ready ")) {
        if (System.currentTimeMillis() - start > TIMEOUT_MILLIS) {
          throw new IllegalStateException("not ready");
        }
        Thread.sleep(5);
      }
      HttpClient plain = vertx.createHttpClient();
      HttpClient framed =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      Matcher found = ADDRESS.matcher(stdout.toString());
      while (found.find()) {
        int port = Integer.parseInt(found.group(2));
        switch (found.group(1)) {
          case "gateway" -> send(plain, HttpMethod.GET, port, "/hello", "", "text/plain");
          // Not /metrics: its libraries would be in the archive and slow down every start.
          case "admin" -> send(plain, HttpMethod.GET, port, "/health/ready", "", "text/plain");
          default -> {
            String body = "{\"attributes\":{\"ip\":\"192.0.2.1\",\"path\":\"/hello\"}}";
            send(plain, HttpMethod.POST, port, "/v1/check", body, "application/json");
            // An empty message after its length.
            String call = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
            send(framed, HttpMethod.POST, port, call, "\0\0\0\0\0", "application/grpc");
          }
        }
      }
      vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
      Signal.raise(new Signal("TERM"));
    } catch (Exception e) {
      Runtime.getRuntime().halt(1);
    }
  }

  private static void send(
      HttpClient client, HttpMethod method, int port, String path, String body, String type)
      throws Exception {
    RequestOptions request =
        new RequestOptions()
            .setMethod(method)
            .setHost("127.0.0.1")
            .setPort(port)
            .setURI(path)
            .putHeader("Content-Type", type)
            .putHeader("TE", "trailers");
    client
        .request(request)
        .compose(open -> open.send(Buffer.buffer(body)))
        .compose(response -> response.body())
        .toCompletionStage()
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
  }
}
