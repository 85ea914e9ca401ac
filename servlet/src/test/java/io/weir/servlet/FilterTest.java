package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.http.HeaderStyle;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client sees of the filter, in each container. */
@ParameterizedClass
@EnumSource(Container.class)
class FilterTest {
  private static final String THREE =
      """
      rules:
        - name: client
          match: { path: /a }
          per: ip
          limit: { algorithm: fixed-window, rate: 3 per minute }
      """;

  private final Container container;

  FilterTest(Container container) {
    this.container = container;
  }

  @Test
  void refusesTheFourthRequest() throws Exception {
    try (Container.Running app = container.start(Application.echo(Application.filter(THREE)))) {
      for (int left = 2; left >= 0; left--) {
        RawConnection.Response served = RawConnection.get(app.port(), "/a");
        assertThat(served.status()).isEqualTo(200);
        assertThat(served.body()).isEqualTo("served");
        assertThat(served.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(served.header("X-RateLimit-Remaining")).isEqualTo(String.valueOf(left));
        assertThat(served.header("X-RateLimit-Reset")).isEqualTo("60");
        assertThat(served.header("RateLimit-Policy")).isEqualTo("\"client\";q=3;w=60");
        assertThat(served.header("RateLimit")).isEqualTo("\"client\";r=" + left + ";t=60");
        assertThat(served.header("Retry-After")).isNull();
      }
      RawConnection.Response refused = RawConnection.get(app.port(), "/a");
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Content-Type")).isEqualTo("application/json");
      assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
      assertThat(refused.header("Retry-After")).isEqualTo("60");
      assertThat(refused.body())
          .isEqualTo(
              "{\"error\":\"rate_limit_exceeded\",\"message\":\"Too many requests. Please retry"
                  + " after 60 seconds.\",\"retry_after_seconds\":60,\"rule\":\"client\"}");
    }
  }

  @Test
  void unlimitedResponseHasNoHeaders() throws Exception {
    try (Container.Running app = container.start(Application.echo(Application.filter(THREE)))) {
      RawConnection.Response served = RawConnection.get(app.port(), "/b");
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.headers().keySet()).noneMatch(name -> name.contains("ratelimit"));
    }
  }

  @Test
  void familiesCanBeSwitchedOff() throws Exception {
    WeirFilter filter =
        Application.filter(
            THREE,
            as ->
                as.headers(
                    HeaderStyle.DEFAULT
                        .with(Set.of(HeaderStyle.Family.X_RATELIMIT))
                        .with(HeaderStyle.Reset.DELTA_SECONDS)));
    try (Container.Running app = container.start(Application.echo(filter))) {
      RawConnection.Response served = RawConnection.get(app.port(), "/a");
      assertThat(served.header("X-RateLimit-Reset")).isEqualTo("60");
      assertThat(served.header("RateLimit")).isNull();
    }
  }

  /** The body is not read: the next request must not be taken for the rest of it. */
  @Test
  void theBodyOfARefusedRequestDoesNotAffectTheNextOne() throws Exception {
    try (Container.Running app = container.start(Application.echo(Application.filter(THREE)));
        RawConnection rawConnection = new RawConnection(app.port())) {
      for (int i = 0; i < 3; i++) {
        RawConnection.get(app.port(), "/a");
      }
      String smuggled = "GET /b HTTP/1.1\r\nHost: shop.example\r\n\r\n";
      rawConnection.send(
          "POST /a HTTP/1.1\r\nHost: shop.example\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(smuggled.length(), smuggled));
      assertThat(rawConnection.receive(false).status()).isEqualTo(429);
      assertThat(rawConnection.send("GET", "/a").status()).isEqualTo(429);
      assertThat(rawConnection.send("GET", "/b").body()).isEqualTo("served");
    }
  }

  @Test
  void largeBodyDoesNotDelayRefusal() throws Exception {
    try (Container.Running app = container.start(Application.echo(Application.filter(THREE)));
        RawConnection rawConnection = new RawConnection(app.port())) {
      for (int i = 0; i < 3; i++) {
        RawConnection.get(app.port(), "/a");
      }
      rawConnection.send(
          "POST /a HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 1000000000\r\n\r\nbeginning");
      assertThat(rawConnection.receive(false).status()).isEqualTo(429);
    }
  }

  /** The headers are set before the application begins its response. */
  @Test
  void responseFlushedEarlyHasHeaders() throws Exception {
    Container.SetUp application =
        context -> {
          Application.add(context, "weir", Application.filter(THREE));
          Application.serve(
              context,
              "/*",
              (request, response) -> {
                response.flushBuffer();
                response.getWriter().write("late");
              });
        };
    try (Container.Running app = container.start(application)) {
      RawConnection.Response served = RawConnection.get(app.port(), "/a");
      assertThat(served.body()).isEqualTo("late");
      assertThat(served.header("X-RateLimit-Remaining")).isEqualTo("2");
    }
  }

  @Test
  void filtersOfDifferentNodesChargeEachAndOfOneNodeOnce() throws Exception {
    WeirFilter outer = Application.filter(THREE.replace("client", "outer"));
    io.weir.runtime.Node shared = Application.node(THREE.replace("3 per", "2 per"));
    Container.SetUp application =
        context -> {
          Application.add(context, "outer", outer);
          Application.add(context, "one", WeirFilter.builder(shared).build());
          Application.add(context, "again", WeirFilter.builder(shared).build());
          Application.serve(context, "/*", (request, response) -> {});
        };
    try (shared;
        Container.Running app = container.start(application)) {
      RawConnection.Response both = RawConnection.get(app.port(), "/a");
      assertThat(both.status()).isEqualTo(200);
      assertThat(both.header("RateLimit-Policy"))
          .isEqualTo("\"outer\";q=3;w=60, \"client\";q=2;w=60");
      assertThat(both.header("RateLimit")).isEqualTo("\"outer\";r=2;t=60, \"client\";r=1;t=60");
      assertThat(both.header("X-RateLimit-Limit")).as("the stricter").isEqualTo("2");
      assertThat(RawConnection.get(app.port(), "/a").status()).isEqualTo(200);
      RawConnection.Response inner = RawConnection.get(app.port(), "/a");
      assertThat(inner.status()).isEqualTo(429);
      assertThat(inner.body()).contains("\"rule\":\"client\"");
      assertThat(RawConnection.get(app.port(), "/a").body()).contains("\"rule\":\"outer\"");
    }
  }

  @Test
  void limitsHttp2Requests() throws Exception {
    String rules =
        """
        rules:
          - name: host
            match: { host: 127.0.0.1, method: POST }
            limit: { algorithm: fixed-window, rate: 2 per day }
        """;
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    try (Container.Running app = container.start(Application.echo(Application.filter(rules)))) {
      URI uri = URI.create("http://127.0.0.1:" + app.port() + "/a");
      client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      // No body: Tomcat closes a connection over which two come after their responses.
      HttpRequest post =
          HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.noBody()).build();
      for (int left = 1; left >= -1; left--) {
        HttpResponse<String> response = client.send(post, HttpResponse.BodyHandlers.ofString());
        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.statusCode()).isEqualTo(left < 0 ? 429 : 200);
        assertThat(response.headers().firstValue("X-RateLimit-Remaining"))
            .hasValue(String.valueOf(Math.max(0, left)));
      }
    }
  }

  @Test
  void allowsExactlyTheLimitToConcurrentRequests() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { algorithm: sliding-log, rate: 100 per hour } } ]";
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (Container.Running app = container.start(Application.echo(Application.filter(rules)))) {
      List<Callable<Integer>> callers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        callers.add(
            () -> {
              int allowed = 0;
              try (RawConnection rawConnection = new RawConnection(app.port())) {
                for (int n = 0; n < 50; n++) {
                  allowed += rawConnection.send("GET", "/").status() == 200 ? 1 : 0;
                }
              }
              return allowed;
            });
      }
      int allowed = 0;
      for (Future<Integer> each : threads.invokeAll(callers)) {
        allowed += each.get();
      }
      assertThat(allowed).isEqualTo(100);
    } finally {
      threads.shutdownNow();
    }
  }
}
