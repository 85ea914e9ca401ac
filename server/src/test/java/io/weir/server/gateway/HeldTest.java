package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Until;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leaky bucket really delays; and who does not wait for its turn gives its place back. */
class HeldTest {
  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void whoGoesAwayGivesItsPlaceBack(HttpVersion version) {
    AtomicInteger arrived = new AtomicInteger();
    String rules =
        "rules: [ { name: slowly, limit:"
            + " { algorithm: leaky-bucket, rate: 1 per minute, queue: 1 } } ]";
    try (Stage stage =
        new Stage(
            rules,
            request -> {
              arrived.incrementAndGet();
              request.response().end();
            })) {
      var client = stage.client(version);
      var first = client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
      assertThat(Stage.await(first).statusCode()).isEqualTo(200);
      for (int i = 0; i < 3; i++) { // there is one place, and it is free each time
        HttpClientRequest held =
            Stage.await(stage.client(version).request(HttpMethod.GET, "/held"));
        held.exceptionHandler(known -> {});
        held.end();
        Until.holds(
            "the place is taken",
            () ->
                Stage.await(
                            stage
                                .client(version)
                                .request(HttpMethod.GET, "/")
                                .compose(HttpClientRequest::send))
                        .statusCode()
                    == 429);
        held.reset();
        Thread.onSpinWait();
      }
      assertThat(arrived).hasValue(1);
    }
  }
}
