package io.weir.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import io.weir.runtime.Node;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that wait for a remote store, or for their turn. */
@Tag("slow")
@ParameterizedClass
@CsvSource({"JETTY, THREAD", "JETTY, ASYNC", "TOMCAT, THREAD", "TOMCAT, ASYNC"})
class WaitingTest {
  private final Container container;
  private final Waiting waiting;
  private WeirFilter filter; // of the application that was started last

  WaitingTest(Container container, Waiting waiting) {
    this.container = container;
    this.waiting = waiting;
  }

  private static Node node(String rules) {
    return Application.node(rules, "memory");
  }

  private Container.Running start(Node node, int mostHeld) throws Exception {
    return container.start(
        context -> {
          filter =
              WeirFilter.builder(node).closesNode().waiting(waiting).mostHeld(mostHeld).build();
          Application.add(context, "weir", filter);
          Application.serve(
              context, "/plain", (request, response) -> response.getWriter().write("plain"));
          Application.serve(
              context,
              "/async",
              (request, response) -> {
                if (request.getAttribute("seen") == null) {
                  request.setAttribute("seen", true);
                  long timeout = request.startAsync().getTimeout();
                  response.setHeader("X-Timeout", String.valueOf(timeout));
                  request.getAsyncContext().dispatch();
                } else {
                  response.getWriter().write("async " + request.getDispatcherType());
                }
              });
        });
  }

  @Test
  void redisDecidesRequests() throws Exception {
    String rules = "rules: [ { name: all, limit: { algorithm: sliding-log, rate: 3 per hour } } ]";
    RedisProcess redis = SharedRedis.empty();
    try (Container.Running app = start(Application.node(rules, redis.url()), 10)) {
      assertThat(RawConnection.get(app.port(), "/plain").body()).isEqualTo("plain");
      RawConnection.Response async = RawConnection.get(app.port(), "/async");
      assertThat(async.body()).isEqualTo("async " + DispatcherType.ASYNC);
      assertThat(async.header("X-RateLimit-Remaining")).isEqualTo("1");
      assertThat(async.header("X-Timeout")).as("the container's own").isEqualTo("30000");
      try (RawConnection rawConnection = new RawConnection(app.port())) {
        assertThat(rawConnection.send("GET", "/plain").header("X-RateLimit-Remaining"))
            .isEqualTo("0");
        for (int i = 0; i < 3; i++) {
          RawConnection.Response refused = rawConnection.send("GET", "/plain");
          assertThat(refused.status()).isEqualTo(429);
          assertThat(refused.body()).contains("rate_limit_exceeded").endsWith("\"rule\":\"all\"}");
        }
        assertThat(rawConnection.send("GET", "/plain?%zz=1").status()).isEqualTo(429);
      }
    }
  }

  /** However its path is written, and whatever else it has. */
  @Test
  void resumesTheOriginalRequest() throws Exception {
    Container.SetUp describing =
        context ->
            Application.serve(
                context,
                "/s/*",
                (request, response) ->
                    response
                        .getWriter()
                        .write(
                            String.join(
                                " ",
                                request.getMethod(),
                                request.getRequestURI(),
                                request.getServletPath(),
                                request.getPathInfo(),
                                request.getQueryString(),
                                request.getParameter("a"),
                                request.getHeader("X-Mine"),
                                new String(request.getInputStream().readAllBytes(), UTF_8))));
    String rules = "rules: [ { name: all, limit: { algorithm: sliding-log, rate: 99 per hour } } ]";
    Node node = Application.node(rules, SharedRedis.empty().url());
    WeirFilter weir = WeirFilter.builder(node).closesNode().waiting(waiting).build();
    try (Container.Running without = container.start("/c", null, describing);
        Container.Running with =
            container.start(
                "/c",
                null,
                context -> {
                  Application.add(context, "weir", weir);
                  describing.into(context);
                })) {
      for (String path :
          List.of(
              "/x",
              "/x/?a=1&a=2",
              "/a%20b",
              "/a;v=1/b;w=2?a=%20",
              "/a%3Fa=1",
              "/a%25b",
              "/%C3%A4",
              "/a/./b",
              "//a//b",
              "/a/../b?a=1",
              "/a%3Bb",
              "/a+b?a=b+c")) {
        String[] remaining = new String[2];
        for (int i = 0; i < 2; i++) {
          try (RawConnection rawConnection = new RawConnection((i == 0 ? without : with).port())) {
            rawConnection.send(
                "POST /c/s%s HTTP/1.1\r\nHost: a\r\nX-Mine: m\r\nContent-Length: 4\r\n\r\nbody"
                    .formatted(path));
            RawConnection.Response response = rawConnection.receive(false);
            remaining[i] =
                response.status() + (response.status() == 200 ? " " + response.body() : " refused");
          }
        }
        assertThat(remaining[1]).as(path).isEqualTo(remaining[0]);
      }
    }
  }

  @Test
  void aSharedStoreAllowsExactlyTheLimit() throws Exception {
    String rules = "rules: [ { name: all, limit: { algorithm: sliding-log, rate: 50 per hour } } ]";
    RedisProcess redis = SharedRedis.empty();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (Container.Running one = start(Application.node(rules, redis.url()), 10);
        Container.Running two = start(Application.node(rules, redis.url()), 10)) {
      List<Future<Integer>> callers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int port = i % 2 == 0 ? one.port() : two.port();
        callers.add(
            threads.submit(
                () -> {
                  int allowed = 0;
                  try (RawConnection rawConnection = new RawConnection(port)) {
                    for (int n = 0; n < 20; n++) {
                      allowed += rawConnection.send("GET", "/plain").status() == 200 ? 1 : 0;
                    }
                  }
                  return allowed;
                }));
      }
      int allowed = 0;
      for (Future<Integer> each : callers) {
        allowed += each.get();
      }
      assertThat(allowed).isEqualTo(50);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void holdsDelayedRequestUntilItsTurn() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 5 per second, queue: 3 } } ]";
    try (Container.Running app = start(node(rules), 10)) {
      long start = System.nanoTime();
      assertThat(RawConnection.get(app.port(), "/plain").body()).isEqualTo("plain");
      RawConnection.Response held = RawConnection.get(app.port(), "/async");
      assertThat(held.body()).isEqualTo("async " + DispatcherType.ASYNC);
      assertThat(held.header("X-RateLimit-Limit")).isEqualTo("4");
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(190));
    }
  }

  @Test
  void refusesExcessDelayedRequestAndReleasesItsReservation() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";
    try (Container.Running app = start(node(rules), 1);
        RawConnection held = new RawConnection(app.port())) {
      assertThat(RawConnection.get(app.port(), "/plain").status()).isEqualTo(200);
      held.send("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n");
      Await.holds("one is held", () -> filter.held() == 1);
      RawConnection.Response refused = RawConnection.get(app.port(), "/plain");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      assertThat(refused.body()).startsWith("{\"error\":\"overloaded\"");
      assertThat(refused.header("X-RateLimit-Remaining")).isEqualTo("7");
      RawConnection.Response next = RawConnection.get(app.port(), "/plain");
      assertThat(next.header("X-RateLimit-Remaining"))
          .as("the place was given back")
          .isEqualTo("7");
    }
  }
}
