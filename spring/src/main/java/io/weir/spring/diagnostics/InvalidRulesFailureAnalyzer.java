package io.weir.spring.diagnostics;

import io.weir.rules.Problem;
import io.weir.rules.file.InvalidRulesException;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports mistakes in rules, line by line. */
final class InvalidRulesFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRulesException> {
  @Override
  protected FailureAnalysis analyze(Throwable failure, InvalidRulesException cause) {
    String problems =
        cause.problems().stream()
            .map(Problem::toString)
            .collect(Collectors.joining(System.lineSeparator() + "    "));
    return new FailureAnalysis(
        "The rules of Weir are invalid:" + System.lineSeparator() + "    " + problems,
        "Correct the lines above (file:line:column; 'weir.rules' is the text of the property of that"
            + " name). 'weir check FILE' reports the same without starting the application.",
        cause);
  }
}
