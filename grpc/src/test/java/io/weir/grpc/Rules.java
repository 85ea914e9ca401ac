package io.weir.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.decision.RuleSource;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.runtime.Node;

/** Rules that a test writes. */
final class Rules {
  private Rules() {}

  static Node.Builder node(String yaml) {
    Reading reading = RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8));
    return Node.builder(
        RuleSource.of(
            reading.rules().orElseThrow(() -> new AssertionError(reading.problems().toString()))));
  }
}
