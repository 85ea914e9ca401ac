package io.weir.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments that need no explanation are parsed directly; all others are left to Picocli. */
class ArgumentsTest {
  @Test
  void flagsAreReadAsTheyAreWritten() {
    assertThat(
            plain(
                "--admin-port 1 --rules a.yaml --rules=b.yaml --envoy-quota --envoy-shadow false"
                    + " --config weir.yaml --store=redis://h?a=b"))
        .isEqualTo(
            new Arguments(
                Map.of(
                    Setting.ADMIN_PORT, List.of("1"),
                    Setting.RULES, List.of("a.yaml", "b.yaml"),
                    Setting.ENVOY_QUOTA, List.of("true"),
                    Setting.ENVOY_SHADOW, List.of("false"),
                    Setting.STORE, List.of("redis://h?a=b")),
                Path.of("weir.yaml")));
    assertThat(Arguments.plain(List.of())).contains(new Arguments(Map.of(), null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "-h",
        "--version",
        "--admin-prot 1",
        "--admin-port",
        "--admin-port --bind ::",
        "--admin-port 1 --admin-port 2",
        "--config a --config b",
        "--config",
        "now",
        "--admin-port 1 now",
        "--",
        "@file"
      })
  void leavesOptionsThatNeedAValue(String words) {
    assertThat(Arguments.plain(List.of(words.split(" ")))).isEmpty();
  }

  private static Arguments plain(String words) {
    return Arguments.plain(List.of(words.split(" "))).orElseThrow();
  }
}
