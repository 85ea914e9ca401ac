package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.node.Node;
import io.weir.rig.RedisProcess;
import io.weir.rig.Until;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Redis is killed under an application: each rule does what its {@code on_failure} says. */
@Tag("slow")
@ParameterizedClass
@CsvSource({"JETTY, THREAD", "JETTY, ASYNC", "TOMCAT, THREAD", "TOMCAT, ASYNC"})
class StoreAwayTest {
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

  StoreAwayTest(Container container, Waiting waiting) {
    this.container = container;
    this.waiting = waiting;
  }

  @Test
  void eachRuleDoesWhatItSays() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Container.Running app = start(redis)) {
      for (String path : new String[] {"/allow", "/deny", "/local", "/error"}) {
        Wire.Response served = Wire.get(app.port(), path);
        assertThat(served.body()).isEqualTo("served");
        assertThat(served.header("X-RateLimit-Remaining")).isEqualTo("999");
      }
      redis.kill();
      Wire.Response allowed = Wire.get(app.port(), "/allow");
      assertThat(allowed.body()).isEqualTo("served");
      assertThat(allowed.header("X-RateLimit-Limit")).isNull();
      Wire.Response denied = Wire.get(app.port(), "/deny");
      assertThat(denied.status()).isEqualTo(429);
      assertThat(denied.header("Retry-After")).isEqualTo("1");
      assertThat(denied.body()).startsWith("{\"error\":\"limiter_unavailable\"");
      Wire.Response local = Wire.get(app.port(), "/local");
      assertThat(local.body()).isEqualTo("served");
      assertThat(local.header("X-RateLimit-Limit")).isNotNull();
      Wire.Response error = Wire.get(app.port(), "/error");
      assertThat(error.status()).isEqualTo(503);
      assertThat(error.body()).startsWith("{\"error\":\"limiter_unavailable\"");
      redis.startAgain();
      Until.holds("the store decides again", () -> Wire.get(app.port(), "/error").status() == 200);
    }
  }

  private Container.Running start(RedisProcess redis) throws Exception {
    Node node = Application.node(RULES, redis.url());
    return container.start(
        Application.echo(WeirFilter.builder(node).closesNode().waiting(waiting).build()));
  }
}
