package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.decision.FrontEnd;
import io.weir.decision.RequestCounters;
import io.weir.decision.RequestOutcome;
import io.weir.rig.Await;
import io.weir.rig.SharedRedis;
import io.weir.runtime.Node;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Two filters of one node, each for some of its rules: before a login and behind it. */
@ParameterizedClass
@CsvSource({"JETTY, THREAD", "JETTY, ASYNC", "TOMCAT, THREAD", "TOMCAT, ASYNC"})
class TwoFiltersTest {
  private static final EnumSet<DispatcherType> ALL = EnumSet.allOf(DispatcherType.class);

  private final Container container;
  private final Waiting waiting;
  private Node node;

  TwoFiltersTest(Container container, Waiting waiting) {
    this.container = container;
    this.waiting = waiting;
  }

  @AfterEach
  void close() {
    node.close();
  }

  private WeirFilter filter(String rule) {
    return WeirFilter.builder(node)
        .rules(each -> each.name().equals(rule))
        .waiting(waiting)
        .build();
  }

  private Container.Running start(String rules, String store) throws Exception {
    node = Application.node(rules, store);
    return container.start(
        context -> {
          Application.add(context, "early", filter("early"), ALL);
          Application.add(context, "late", filter("late"), ALL);
          Application.serve(
              context, "/*", (request, response) -> response.getWriter().write("served"));
          Application.serve(
              context,
              "/again",
              (request, response) -> {
                if (request.getAttribute("seen") == null) {
                  request.setAttribute("seen", true);
                  request.startAsync().dispatch();
                } else {
                  response.getWriter().write("again");
                }
              });
        });
  }

  private static String windows(int early, int late) {
    return """
    rules:
      - { name: early, limit: { algorithm: sliding-log, rate: %d per hour } }
      - { name: late, limit: { algorithm: sliding-log, rate: %d per hour } }
    """
        .formatted(early, late);
  }

  @Test
  void bothCheckARequestAndItsResponseReportsBothOnce() throws Exception {
    try (Container.Running app = start(windows(9, 2), SharedRedis.empty().url())) {
      for (int left = 1; left >= 0; left--) {
        RawConnection.Response served =
            RawConnection.get(app.port(), left == 1 ? "/plain" : "/again");
        assertThat(served.body()).isEqualTo(left == 1 ? "served" : "again");
        assertThat(served.header("X-RateLimit-Limit")).isEqualTo("2");
        assertThat(served.header("X-RateLimit-Remaining")).isEqualTo("" + left);
        assertThat(served.header("RateLimit-Policy"))
            .isEqualTo("\"late\";q=2;w=3600, \"early\";q=9;w=3600");
      }
      RawConnection.Response refused = RawConnection.get(app.port(), "/plain");
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.body()).endsWith("\"rule\":\"late\"}");
      assertThat(refused.header("RateLimit")).startsWith("\"late\";r=0;").contains("\"early\";r=6");
      RequestCounters requests =
          node.decisionEngine().decisionCounters().requests(FrontEnd.APPLICATION);
      Await.holds( // the filters do not know which of them is the last
          "each is counted once",
          () ->
              requests.count(RequestOutcome.ALLOWED) == 2
                  && requests.count(RequestOutcome.DENIED) == 1);
      assertThat(requests.count(RequestOutcome.UNMATCHED)).isZero();
    }
  }

  @Test
  void secondFilterDecidesAfterTheDelayOfTheFirst() throws Exception {
    String rules =
        """
        rules:
          - { name: early, limit: { algorithm: leaky-bucket, rate: 20 per second, queue: 9 } }
          - { name: late, limit: { algorithm: sliding-log, rate: 2 per hour } }
        """;
    try (Container.Running app = start(rules, "memory")) {
      RawConnection.get(app.port(), "/plain");
      RawConnection.Response held = RawConnection.get(app.port(), "/again");
      assertThat(held.body()).isEqualTo("again");
      assertThat(held.header("X-RateLimit-Remaining")).isEqualTo("0");
      assertThat(RawConnection.get(app.port(), "/plain").status()).isEqualTo(429);
    }
  }

  @Test
  void bothMayDelayARequest() throws Exception {
    String rules =
        """
        rules:
          - { name: early, limit: { algorithm: leaky-bucket, rate: 20 per second, queue: 9 } }
          - { name: late, limit: { algorithm: leaky-bucket, rate: 10 per second, queue: 9 } }
        """;
    try (Container.Running app = start(rules, "memory")) {
      long start = System.nanoTime();
      for (int i = 0; i < 3; i++) {
        assertThat(RawConnection.get(app.port(), "/again").body()).isEqualTo("again");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isGreaterThanOrEqualTo(Duration.ofMillis(190));
    }
  }

  /** What the application dispatches is no request that comes in, though one was put aside. */
  @Test
  void doesNotCheckDispatchesOfTheApplication() throws Exception {
    node = Application.node(windows(9, 0), SharedRedis.empty().url());
    Container.SetUp application =
        context -> {
          Application.add(context, "early", filter("early"), ALL);
          context.addFilter("late", filter("late")).addMappingForUrlPatterns(ALL, true, "/inner/*");
          Application.serve(
              context, "/inner/*", (request, response) -> response.getWriter().write("inner"));
          Application.serve(
              context, "/outer", (request, response) -> request.startAsync().dispatch("/inner/a"));
        };
    try (Container.Running app = container.start(application)) {
      assertThat(RawConnection.get(app.port(), "/outer").body()).isEqualTo("inner");
      assertThat(RawConnection.get(app.port(), "/inner/a").status()).isEqualTo(429);
    }
  }
}
