package io.weir.server;

import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The rules of the demonstration, used by a server without configured rules. */
final class DemoRules {
  private static final String FILE = "demo.yaml";

  private DemoRules() {}

  static RuleSet read() {
    try (InputStream in = DemoRules.class.getResourceAsStream(FILE)) {
      if (in == null) {
        throw new IllegalStateException(FILE + " is missing in the jar");
      }
      Reading reading = RuleFiles.read("(demo)", in.readAllBytes());
      return reading.rules().orElseThrow(() -> new InvalidRulesException(reading.problems()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
