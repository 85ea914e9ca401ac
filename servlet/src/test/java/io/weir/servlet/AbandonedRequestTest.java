package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.decision.RuleSource;
import io.weir.rig.Await;
import io.weir.rig.SharedRedis;
import io.weir.rules.Rule;
import io.weir.runtime.Node;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Delayed requests that end before their turn release their places. */
@Tag("slow")
@Timeout(60)
@ParameterizedClass
@CsvSource({"JETTY, THREAD", "JETTY, ASYNC", "TOMCAT, THREAD", "TOMCAT, ASYNC"})
class AbandonedRequestTest {
  private static final String SLOW =
      "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";

  private final Container container;
  private final Waiting waiting;
  private final AtomicInteger served = new AtomicInteger();
  private final Node node = Node.builder(RuleSource.of(Application.rules(SLOW))).open();
  private final WeirFilter filter;

  AbandonedRequestTest(Container container, Waiting waiting) {
    this.container = container;
    this.waiting = waiting;
    this.filter = WeirFilter.builder(node).waiting(waiting).mostHeld(2).build();
  }

  @AfterEach
  void close() {
    node.close();
  }

  private Container.Running start() throws Exception {
    return container.start(
        context -> {
          Application.add(context, "failing", AbandonedRequestTest::failing);
          Application.add(context, "weir", filter);
          Application.serve(context, "/*", (request, response) -> served.incrementAndGet());
        });
  }

  /** A response that fails when limit headers are added, if requested. */
  private static void failing(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean isWanted = ((HttpServletRequest) request).getHeader("X-Break") != null;
    HttpServletResponse broken =
        new HttpServletResponseWrapper((HttpServletResponse) response) {
          @Override
          public void setHeader(String name, String value) {
            if (name.startsWith("X-RateLimit")) {
              throw new LinkageError("thrown on purpose");
            }
            super.setHeader(name, value);
          }
        };
    chain.doFilter(request, isWanted ? broken : response);
  }

  private long remaining() {
    Rule rule = node.rules().domains().get(0).allRules().get(0);
    return node.decisionEngine()
        .buckets(rule, "")
        .get(0)
        .peek()
        .toCompletableFuture()
        .join()
        .remaining();
  }

  /** Over HTTP/1.1 containers do not look whether a client is there while it waits. */
  @Test
  void disconnectedClientIsNotServed() throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    try (Container.Running app = start()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + app.port() + "/")).build();
      client.send(request, HttpResponse.BodyHandlers.discarding());
      CompletableFuture<?> held = client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
      Await.holds("it is held", () -> filter.held() == 1);
      assertThat(remaining()).isEqualTo(8);
      held.cancel(true);
      if (waiting == Waiting.ASYNC) {
        Await.holds("its place is free", () -> remaining() == 9 && filter.held() == 0);
      }
      assertThat(served).hasValue(1);
    }
  }

  @Test
  void errorReleasesTheDelaySlot() throws Exception {
    try (Container.Running app = start()) {
      RawConnection.get(app.port(), "/");
      assertThat(RawConnection.get(app.port(), "/", "X-Break: yes").status()).isEqualTo(500);
      assertThat(remaining()).isEqualTo(9);
      assertThat(filter.held()).isZero();
    }
  }

  /**
   * There the container's thread has left before the store responds, unless the response is quick.
   */
  @Test
  void errorLeavesNoRequestWaitingForRedis() throws Exception {
    String rules = "rules: [ { name: all, limit: 9 per hour } ]";
    Node far = Application.node(rules, SharedRedis.empty().url());
    Container.SetUp application =
        context -> {
          Application.add(context, "failing", AbandonedRequestTest::failing);
          Application.add(
              context, "weir", WeirFilter.builder(far).closesNode().waiting(waiting).build());
          Application.serve(context, "/*", (request, response) -> served.incrementAndGet());
        };
    try (Container.Running app = container.start(application)) {
      assertThat(RawConnection.get(app.port(), "/", "X-Break: yes").status())
          .isIn(waiting == Waiting.ASYNC ? List.of(503, 500) : List.of(500));
      assertThat(RawConnection.get(app.port(), "/").status()).isEqualTo(200);
      assertThat(served).hasValue(1);
    }
  }

  @Test
  void refusesDelayedRequestsAtOnceWhenTheApplicationStops() throws Exception {
    Container.Running app = start();
    try (RawConnection one = new RawConnection(app.port());
        RawConnection two = new RawConnection(app.port())) {
      RawConnection.get(app.port(), "/");
      one.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      two.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      Await.holds("they are held", () -> filter.held() == 2);
      filter.destroy();
      filter.destroy();
      for (RawConnection rawConnection : new RawConnection[] {one, two}) {
        RawConnection.Response refused = rawConnection.receive(false);
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.body()).startsWith("{\"error\":\"overloaded\"");
      }
      // Threads leave in any order, and behind one of them another may have queued.
      assertThat(remaining()).isGreaterThanOrEqualTo(waiting == Waiting.ASYNC ? 9 : 8);
      assertThat(RawConnection.get(app.port(), "/").status()).as("after that").isEqualTo(503);
      assertThat(served).hasValue(1);
    } finally {
      app.close();
    }
  }
}
