package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.weir.rig.TestSuites;
import io.weir.rules.match.MalformedRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** JSONTestSuite: what must be accepted is, what must be refused is, and nothing crashes. */
class JsonSuiteTest {
  /**
   * The standard allows a name twice; here it is refused, because readers disagree which counts.
   */
  private static final Set<String> REFUSED_ON_PURPOSE =
      Set.of("y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json");

  @Test
  void passesTheSuite() throws IOException {
    List<Path> files = TestSuites.jsonFiles("json");
    assumeFalse(files.isEmpty(), "../shared/suites/json is absent");
    List<String> failures = new ArrayList<>();
    for (Path file : files) {
      String name = file.getFileName().toString();
      boolean isAccepted = isAccepted(Files.readAllBytes(file));
      boolean isRight =
          switch (name.charAt(0)) {
            case 'y' -> isAccepted != REFUSED_ON_PURPOSE.contains(name);
            case 'n' -> !isAccepted;
            default -> true;
          };
      if (!isRight) {
        failures.add(name + (isAccepted ? " is accepted" : " is refused"));
      }
    }
    assertThat(failures).isEmpty();
    assertThat(files).hasSizeGreaterThan(300);
  }

  private static boolean isAccepted(byte[] json) {
    try {
      return !JsonInputTest.walked(json).equals(List.of("NOTHING"));
    } catch (MalformedRequestException e) {
      return false;
    }
  }
}
