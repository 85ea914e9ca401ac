package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.runtime.Node;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Redis is killed under an application: each rule does what its {@code on_failure} says. */
@Tag("slow")
@ParameterizedClass
@CsvSource({"JETTY, THREAD", "JETTY, ASYNC", "TOMCAT, THREAD", "TOMCAT, ASYNC"})
class FilterStoreOutageTest {
  private static final String RULES =
      """
      rules:
        - { name: allow, match: { path: /allow }, limit: 1000 per day, on_failure: allow }
        - { name: deny,  match: { path: /deny },  limit: 1000 per day, on_failure: deny }
        - { name: local, match: { path: /local }, limit: 1000 per day, on_failure: local }
        - { name: error, match: { path: /error }, limit: 1000 per day, on_failure: error }
      """;

  private final Container container;
  private final Waiting waiting;

  FilterStoreOutageTest(Container container, Waiting waiting) {
    this.container = container;
    this.waiting = waiting;
  }

  @Test
  void appliesOnFailureOfEachRule() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Container.Running app = start(redis)) {
      for (String path : new String[] {"/allow", "/deny", "/local", "/error"}) {
        RawConnection.Response served = RawConnection.get(app.port(), path);
        assertThat(served.body()).isEqualTo("served");
        assertThat(served.header("X-RateLimit-Remaining")).isEqualTo("999");
      }
      redis.kill();
      RawConnection.Response allowed = RawConnection.get(app.port(), "/allow");
      assertThat(allowed.body()).isEqualTo("served");
      assertThat(allowed.header("X-RateLimit-Limit")).isNull();
      RawConnection.Response denied = RawConnection.get(app.port(), "/deny");
      assertThat(denied.status()).isEqualTo(429);
      assertThat(denied.header("Retry-After")).isEqualTo("1");
      assertThat(denied.body()).startsWith("{\"error\":\"limiter_unavailable\"");
      RawConnection.Response local = RawConnection.get(app.port(), "/local");
      assertThat(local.body()).isEqualTo("served");
      assertThat(local.header("X-RateLimit-Limit")).isNotNull();
      RawConnection.Response error = RawConnection.get(app.port(), "/error");
      assertThat(error.status()).isEqualTo(503);
      assertThat(error.body()).startsWith("{\"error\":\"limiter_unavailable\"");
      redis.startAgain();
      Await.holds(
          "the store decides again", () -> RawConnection.get(app.port(), "/error").status() == 200);
    }
  }

  private Container.Running start(RedisProcess redis) throws Exception {
    Node node = Application.node(RULES, redis.url());
    return container.start(
        Application.echo(WeirFilter.builder(node).closesNode().waiting(waiting).build()));
  }
}
