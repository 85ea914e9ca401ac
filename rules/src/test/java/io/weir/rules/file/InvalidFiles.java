package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.provider.Arguments;

/** Files with a mistake, and what is to be said about it. */
final class InvalidFiles {
  private InvalidFiles() {}

  static void assertProblems(Path directory, String text, List<String> expected) {
    assertThat(new RuleFileFixture(directory).errors(text))
        .containsExactlyElementsOf(expected.stream().map(line -> "r.yaml:" + line).toList());
  }

  static Arguments wrong(String text, String... expected) {
    return Arguments.of(text, List.of(expected));
  }

  /** A file with one rule that has its limit in line 3, from column 12. */
  static Arguments wrongLimit(String limit, String... expected) {
    return wrong("rules:\n  - name: a\n    limit: " + limit + "\n", expected);
  }

  /** A file with one rule that has its match in line 4, from column 12. */
  static Arguments wrongMatch(String match, String... expected) {
    return wrong("rules:\n  - name: a\n    limit: 1/s\n    match: " + match + "\n", expected);
  }

  /** A file with one rule, and {@code line} in line 4, from column 5. */
  static Arguments wrongField(String line, String... expected) {
    return wrong("rules:\n  - name: a\n    limit: 1 per second\n    " + line + "\n", expected);
  }
}
