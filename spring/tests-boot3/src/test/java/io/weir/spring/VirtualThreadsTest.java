package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;

/** On virtual threads limits are exact, and a waiting request holds no platform thread. */
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {
  private static final String RULES =
      """
      rules:
        - { name: b, match: { path: /b }, limit: { algorithm: sliding-log, rate: 100 per day } }
        - name: turns
          match: { path: /a/** }
          limit: { algorithm: leaky-bucket, rate: 50 per second, queue: 60 }
      """;

  @Test
  void manyAreLimitedAndNoneIsPinned(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("pinned.jfr");
    try (Recording recording = new Recording();
        PermitAllApplication.RunningApplication app =
            PermitAllApplication.start(
                WebApplicationType.SERVLET, RULES, "spring.threads.virtual.enabled", "true")) {
      assertThat(app.testHttpClient().get("/thread").body()).startsWith("VirtualThread");
      assertThat(statuses(app.testHttpClient(), "/b", 20)).containsOnly(200);
      assertThat(statuses(app.testHttpClient(), "/a/x", 20)).containsOnly(200);
      recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(1));
      recording.start();
      assertThat(statuses(app.testHttpClient(), "/b", 300))
          .filteredOn(status -> status == 200)
          .hasSize(80);
      assertThat(statuses(app.testHttpClient(), "/a/x", 50)).containsOnly(200);
      recording.stop();
      recording.dump(file);
    }
    assertThat(RecordingFile.readAllEvents(file)).filteredOn(VirtualThreadsTest::isOurs).isEmpty();
  }

  /** What pins threads in the container is its own business, and classes are loaded once. */
  private static boolean isOurs(RecordedEvent event) {
    List<String> types =
        event.getStackTrace().getFrames().stream()
            .limit(12)
            .map(frame -> frame.getMethod().getType().getName())
            .toList();
    return types.stream().anyMatch(type -> type.startsWith("io.weir."))
        && types.stream().noneMatch(type -> type.startsWith("jdk.internal.loader."));
  }

  private static List<Integer> statuses(TestHttpClient testHttpClient, String path, int times)
      throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + testHttpClient.port() + path))
            .build();
    List<CompletableFuture<HttpResponse<Void>>> all = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      all.add(client.sendAsync(request, HttpResponse.BodyHandlers.discarding()));
    }
    List<Integer> statuses = new ArrayList<>();
    for (CompletableFuture<HttpResponse<Void>> each : all) {
      statuses.add(each.get(60, TimeUnit.SECONDS).statusCode());
    }
    return statuses;
  }
}
