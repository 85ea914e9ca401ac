package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is out of memory ends by itself, without options for Java. */
class MemoryExhaustionTest {
  @ParameterizedTest
  @ValueSource(strings = {"thrown", "logged", "swallowed"})
  void outOfMemoryEndsTheProcess(String error) throws Exception {
    List<String> options = List.of("-Xmx48m", "-Dexhausting.error=" + error);
    try (ServeProcess serve =
        ServeProcess.ready(new ServeProcess(options, MemoryHog.class, Map.of()))) {
      serve.type("\n");
      assertThat(serve.exitCode()).as(serve.out() + serve.err()).isEqualTo(3);
      assertThat(serve.err()).contains("weir serve: out of memory; the process ends");
    }
  }
}
