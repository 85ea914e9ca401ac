package io.weir.example.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import io.weir.rig.Until;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The example as somebody would run it: processes of their own, called over HTTP. */
@Timeout(120)
class ShopTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();

  /** A shop that is open. */
  private record Shopping(Program program, int port) implements AutoCloseable {
    static Shopping at(String store) {
      int port = Ports.free();
      Program program =
          Program.start(
              Program.directory("shop"),
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Shop.class.getName(),
                  String.valueOf(port),
                  Path.of("rules.yaml").toAbsolutePath().toString(),
                  store),
              () -> ask(port, "GET", "/").statusCode() == 200);
      return new Shopping(program, port);
    }

    HttpResponse<String> get() throws Exception {
      return ask(port, "GET", "/");
    }

    HttpResponse<String> logIn() throws Exception {
      return ask(port, "POST", "/login");
    }

    private static HttpResponse<String> ask(int port, String method, String path)
        throws IOException, InterruptedException {
      return CLIENT.send(
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
              .timeout(Duration.ofSeconds(20))
              .method(method, HttpRequest.BodyPublishers.noBody())
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
      program.close();
    }
  }

  private static String header(HttpResponse<String> response, String name) {
    List<String> values = response.headers().allValues(name);
    assertThat(values).as(name).hasSizeLessThan(2);
    return values.isEmpty() ? null : values.get(0);
  }

  @Test
  void theFourthLoginIsRefused() throws Exception {
    try (Shopping shop = Shopping.at("memory")) {
      for (int left = 2; left >= 0; left--) {
        HttpResponse<String> served = shop.logIn();
        assertThat(served.statusCode()).isEqualTo(200);
        assertThat(served.body()).isEqualTo("welcome\n");
        assertThat(header(served, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(header(served, "X-RateLimit-Remaining")).isEqualTo(String.valueOf(left));
        assertThat(header(served, "RateLimit-Policy"))
            .isEqualTo("\"login\";q=3;w=3600, \"client\";q=100;w=10");
        assertThat(header(served, "RateLimit")).startsWith("\"login\";r=" + left + ";t=3");
        assertThat(header(served, "Retry-After")).isNull();
      }
      HttpResponse<String> refused = shop.logIn();
      assertThat(refused.statusCode()).isEqualTo(429);
      int wait = Integer.parseInt(header(refused, "Retry-After"));
      assertThat(wait).isBetween(3000, 3600);
      assertThat(header(refused, "Content-Type")).isEqualTo("application/json");
      assertThat(header(refused, "Cache-Control")).isEqualTo("no-store");
      assertThat(header(refused, "X-RateLimit-Remaining")).isEqualTo("0");
      assertThat(refused.body())
          .isEqualTo(
              ("{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry"
                      + " after %d seconds.\",\"retry_after_seconds\":%d,\"rule\":\"login\"}")
                  .formatted(wait, wait));
      assertThat(shop.get().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void twoShopsShareTheirLimits() throws Exception {
    String store = SharedRedis.empty().url() + "?timeout=10s";
    try (Shopping one = Shopping.at(store);
        Shopping two = Shopping.at(store)) {
      assertThat(header(one.logIn(), "X-RateLimit-Remaining")).isEqualTo("2");
      assertThat(header(two.logIn(), "X-RateLimit-Remaining")).isEqualTo("1");
      assertThat(header(one.logIn(), "X-RateLimit-Remaining")).isEqualTo("0");
      assertThat(two.logIn().statusCode()).isEqualTo(429);
      assertThat(one.logIn().statusCode()).isEqualTo(429);
    }
  }

  @Test
  void whileRedisIsAwayLoginsAreRefusedAndAllElseIsServed() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Shopping shop = Shopping.at(redis.url() + "?timeout=10s")) {
      assertThat(header(shop.logIn(), "X-RateLimit-Remaining")).isEqualTo("2");
      redis.kill();
      HttpResponse<String> refused = shop.logIn();
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.body()).contains("\"limiter_unavailable\"");
      assertThat(header(refused, "Retry-After")).isEqualTo("1");
      HttpResponse<String> served = shop.get();
      assertThat(served.statusCode()).isEqualTo(200);
      assertThat(header(served, "X-RateLimit-Limit")).isNull();
      redis.startAgain();
      Until.holds("logins are counted again", () -> shop.logIn().statusCode() == 200);
    }
  }
}
