package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Test data of others, which is not part of the repository: folders in {@code ../shared/suites}
 * beside the checkout, or where the system property {@code weir.test.suites} points.
 */
public final class TestSuites {
  private TestSuites() {}

  /** The JSON files of a suite by name; none if the suite is absent. */
  public static List<Path> jsonFiles(String suite) {
    Path folder = suites().resolve(suite);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path suites() {
    String given = System.getProperty("weir.test.suites");
    if (given != null) {
      return Path.of(given);
    }
    Path root = Path.of("").toAbsolutePath();
    while (root.getParent() != null && !Files.exists(root.resolve("mvnw"))) {
      root = root.getParent();
    }
    return root.resolveSibling("shared").resolve("suites");
  }
}
