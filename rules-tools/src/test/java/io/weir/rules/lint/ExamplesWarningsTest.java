package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Problem;
import io.weir.rules.file.RuleFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples of the repository give the warnings that their authors would want, and no other. */
class ExamplesWarningsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "shop.yaml  |",
        "envoy.yaml |",
        "envoy/native.yaml |",
        "spring-servlet/src/main/resources/rules.yaml |",
        "spring-webflux/src/main/resources/rules.yaml |",
        "tiers.yaml | rule 'default' uses 'tier': it is declared nowhere",
        "endpoints.yaml | no rule covers requests without 'user' and with another 'method' than GET, POST;",
      })
  void examplesHaveFewWarnings(String file, String message) {
    Path example = root().resolve("examples").resolve(file);
    List<String> warnings =
        Lint.of(RuleFiles.load(List.of(example))).stream().map(Problem::message).toList();
    if (file.equals("tiers.yaml")) { // this form has no rules per address; another file may
      assertThat(warnings).hasSize(2);
      assertThat(warnings.get(1))
          .startsWith("rule 'default' and 5 other rules give each value of 'client' a bucket");
      warnings = warnings.subList(0, 1);
    }
    if (message == null) {
      assertThat(warnings).isEmpty();
    } else {
      assertThat(warnings).singleElement().asString().startsWith(message);
    }
  }

  private static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.isDirectory(here.resolve("examples")) ? here : here.getParent();
  }
}
