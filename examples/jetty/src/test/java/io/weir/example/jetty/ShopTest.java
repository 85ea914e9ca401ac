package io.weir.example.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rig.Program;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the example as a user would: in processes of its own, called over HTTP. */
@Timeout(120)
class ShopTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();

  /** A running shop. */
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
              () -> !limits(send(port, "GET", "/")).isEmpty()); // the store decides
      return new Shopping(program, port);
    }

    HttpResponse<String> get() throws Exception {
      return send(port, "GET", "/");
    }

    HttpResponse<String> logIn() throws Exception {
      return send(port, "POST", "/login");
    }

    private static HttpResponse<String> send(int port, String method, String path)
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

  /** All rate limit headers of a response, by names in lower case. */
  private static Map<String, String> limits(HttpResponse<String> response) {
    Map<String, String> headers = new TreeMap<>();
    for (String name : response.headers().map().keySet()) {
      if (name.contains("ratelimit") || name.contains("retry-after")) {
        headers.put(name, header(response, name));
      }
    }
    return headers;
  }

  /** A login, and the interval in which it was counted. */
  private record Login(HttpResponse<String> response, long from, long to) {
    private static final long SLACK = 20; // of one clock against another
    private static final long HOUR = 3_600_000;

    static Login at(Shopping shop) throws Exception {
      long from = System.currentTimeMillis() - SLACK;
      HttpResponse<String> response = shop.logIn();
      return new Login(response, from, System.currentTimeMillis() + SLACK);
    }

    /** The expected headers if {@code first} opened the hour, complete and exact to the second. */
    void assertLimits(int left, Login first) {
      Map<String, String> headers = limits(response);
      long reset = Long.parseLong(headers.get("x-ratelimit-reset"));
      assertThat(reset).isBetween(seconds(first.from + HOUR), seconds(first.to + HOUR));
      assertThat(header(first.response, "X-RateLimit-Reset")).isEqualTo("" + reset);
      Matcher quota =
          Pattern.compile("\"login\";r=%d;t=(\\d+), \"client\";(r=100|r=9\\d;t=1)".formatted(left))
              .matcher(headers.get("ratelimit"));
      assertThat(quota.matches()).as(headers.get("ratelimit")).isTrue();
      long wait = Long.parseLong(quota.group(1));
      assertThat(wait).isBetween(seconds(first.from + HOUR - to), seconds(first.to + HOUR - from));
      Map<String, String> expected = new TreeMap<>();
      expected.put("x-ratelimit-limit", "3");
      expected.put("x-ratelimit-remaining", "" + left);
      expected.put("x-ratelimit-reset", "" + reset);
      expected.put("ratelimit-policy", "\"login\";q=3;w=3600, \"client\";q=100;w=10");
      expected.put("ratelimit", quota.group());
      if (response.statusCode() == 429) {
        expected.put("retry-after", "" + wait);
        expected.put("x-ratelimit-retry-after", "" + wait);
      }
      assertThat(headers).isEqualTo(expected);
    }

    private static long seconds(long millis) {
      return (millis + 999) / 1000;
    }
  }

  @Test
  void theFourthLoginIsRefused() throws Exception {
    try (Shopping shop = Shopping.at("memory")) {
      Login first = Login.at(shop);
      first.assertLimits(2, first);
      assertThat(first.response.body()).isEqualTo("welcome\n");
      for (int left = 1; left >= 0; left--) {
        Login next = Login.at(shop);
        assertThat(next.response.statusCode()).isEqualTo(200);
        next.assertLimits(left, first);
      }
      Login fourth = Login.at(shop);
      HttpResponse<String> refused = fourth.response;
      assertThat(refused.statusCode()).isEqualTo(429);
      fourth.assertLimits(0, first);
      assertThat(header(refused, "Content-Type")).isEqualTo("application/json");
      assertThat(header(refused, "Cache-Control")).isEqualTo("no-store");
      String wait = header(refused, "Retry-After");
      assertThat(refused.body())
          .isEqualTo(
              ("{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry"
                      + " after %s seconds.\",\"retry_after_seconds\":%s,\"rule\":\"login\"}")
                  .formatted(wait, wait));
      HttpResponse<String> served = shop.get();
      assertThat(served.statusCode()).isEqualTo(200);
      assertThat(header(served, "RateLimit-Policy")).isEqualTo("\"client\";q=100;w=10");
      assertThat(header(served, "RateLimit")).matches("\"client\";r=9\\d;t=1");
    }
  }

  @Test
  void twoShopsShareTheirLimits() throws Exception {
    String store = SharedRedis.empty().url() + "?timeout=10s";
    try (Shopping one = Shopping.at(store);
        Shopping two = Shopping.at(store)) {
      Login first = Login.at(one);
      first.assertLimits(2, first);
      Login.at(two).assertLimits(1, first);
      Login.at(one).assertLimits(0, first);
      for (Shopping shop : List.of(two, one)) {
        Login refused = Login.at(shop);
        assertThat(refused.response.statusCode()).isEqualTo(429);
        refused.assertLimits(0, first);
      }
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
      assertThat(refused.body()).contains("\"limiter_unavailable\"").contains("\"login\"");
      assertThat(limits(refused))
          .isEqualTo(Map.of("retry-after", "1", "x-ratelimit-retry-after", "1"));
      HttpResponse<String> served = shop.get();
      assertThat(served.statusCode()).isEqualTo(200);
      assertThat(limits(served)).isEmpty();
      redis.startAgain();
      Await.holds("logins are counted again", () -> shop.logIn().statusCode() == 200);
    }
  }
}
