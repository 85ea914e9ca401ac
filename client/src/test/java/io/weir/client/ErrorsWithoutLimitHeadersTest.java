package io.weir.client;

import static io.weir.client.ScriptedServer.response;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors often come from a component before the server that does not know its limits. */
@Tag("slow")
@Timeout(60)
class ErrorsWithoutLimitHeadersTest {
  private static final int LIMIT = 10;

  @ParameterizedTest
  @CsvSource({"404", "500", "503"})
  void errorWithoutLimitHeadersCausesNoRequestStorm(int status) throws Exception {
    WeirClient client = WeirClient.builder().deadline(Duration.ofSeconds(3)).build();
    try (ScriptedServer other =
        ScriptedServer.saying(response(200, "", ""))) { // all is loaded then
      client.send(HttpRequest.newBuilder(other.url("/")).build(), BodyHandlers.ofString());
    }
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) ->
                out.write(
                    (turn == 1 ? response(status, "", "") : limited(turn - 1))
                        .getBytes(ISO_8859_1)))) {
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        all.add(
            client.sendAsync(
                HttpRequest.newBuilder(server.url("/a")).build(), BodyHandlers.ofString()));
      }
      for (CompletableFuture<?> each : all) {
        each.handle((response, failure) -> true).get(30, TimeUnit.SECONDS);
      }
      assertThat(server.requests).hasSizeBetween(2, 2 * LIMIT);
    }
  }

  private static String limited(int count) {
    String policy = "|RateLimit-Policy: \"p\";q=" + LIMIT + ";w=60";
    return count <= LIMIT
        ? response(200, "RateLimit: \"p\";r=" + (LIMIT - count) + ";t=60" + policy, "")
        : response(429, "Retry-After: 60|RateLimit: \"p\";r=0;t=60" + policy, "");
  }
}
