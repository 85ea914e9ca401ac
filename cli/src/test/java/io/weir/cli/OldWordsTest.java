package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One word means one thing on every surface; those that were replaced do not come back. */
class OldWordsTest {
  private static final Path ROOT = Path.of(System.getProperty("user.dir")).getParent();
  private static final List<String> SURFACES =
      List.of(
          "server/src/main/resources/io/weir/server",
          "cli/src/main",
          "core/src/main/java/io/weir",
          "deploy",
          "docs",
          "examples",
          "README.md",
          "CHANGELOG.md");
  private static final List<String> TEXTS =
      List.of(".html", ".js", ".css", ".yaml", ".yml", ".json", ".md", ".java");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "as good as new",
        "most throttled",
        "is it well",
        "not quite.",
        ">who?<",
        "left to the proxy",
        "is left alone",
        "/v1/events` is to come",
        "requests refused\""
      })
  void oldWordsAppearOnNoSurface(String words) throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files()) {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).toLowerCase(Locale.ROOT).contains(words)) {
          found.add(ROOT.relativize(file) + ":" + (i + 1));
        }
      }
    }
    assertThat(found).as("'%s' was replaced", words).isEmpty();
  }

  @Test
  void checksEverySurfaceForOldWords() throws IOException {
    assertThat(files().stream().map(file -> ROOT.relativize(file).toString()))
        .contains(
            "server/src/main/resources/io/weir/server/dashboard/index.html",
            "server/src/main/resources/io/weir/server/dashboard/js/health.js",
            "cli/src/main/java/io/weir/cli/top/Screen.java",
            "core/src/main/java/io/weir/RateLimiter.java",
            "docs/reference/settings.md",
            "CHANGELOG.md");
  }

  private static List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    for (String surface : SURFACES) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(surface))) {
        all.filter(OldWordsTest::isText).forEach(files::add);
      }
    }
    return files;
  }

  private static boolean isText(Path file) {
    String name = ROOT.relativize(file).toString();
    return TEXTS.stream().anyMatch(name::endsWith)
        && !name.contains("/vendor/")
        && !name.contains("/target/")
        && Files.isRegularFile(file);
  }
}
