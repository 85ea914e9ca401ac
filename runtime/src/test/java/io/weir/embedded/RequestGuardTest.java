package io.weir.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.decision.RuleSource;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.HeaderStyle;
import io.weir.runtime.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a request that something goes wrong with. */
class RequestGuardTest {
  private static final String RULES =
      """
      attributes: { user: { header: X-User } }
      rules:
        - { name: open, per: user, limit: 1 per hour }
        - { name: closed, per: user, limit: 9 per hour, on_failure: deny, MODE }
      """;

  private static FilterAction actionFor(String mode, int times, Request request) {
    byte[] rules = RULES.replace("MODE", mode).getBytes(UTF_8);
    try (Node node =
        Node.builder(RuleSource.of(RuleFiles.read("rules.yaml", rules).rules().orElseThrow()))
            .time(TimeSource.manual())
            .open()) {
      RequestGuard requestGuard = new RequestGuard(node, HeaderStyle.DEFAULT);
      for (int i = 1; i < times; i++) {
        requestGuard.check(() -> request);
      }
      return requestGuard.step(
          requestGuard.check(() -> request),
          () -> {
            throw new IllegalStateException("thrown on purpose");
          },
          null);
    }
  }

  /** {@code Accept}, which is read only for a refusal, throws here. */
  @Test
  void refusalStaysRefusalIfItsResponseCannotBeBuilt() {
    assertThat(actionFor("mode: shadow", 1, name -> "ann")).isInstanceOf(FilterAction.Pass.class);
    FilterAction filterAction = actionFor("mode: shadow", 2, name -> "ann");
    assertThat(filterAction).isInstanceOf(FilterAction.Refused.class);
    assertThat(filterAction.directResponse().status()).isEqualTo(503);
  }

  /** A request with attributes that throw. */
  private record Broken(boolean isForClosed) implements Request {
    @Override
    public String attribute(String name) {
      throw new IllegalStateException("thrown on purpose");
    }

    @Override
    public boolean concerns(Rule rule) {
      return isForClosed || !rule.name().equals("closed");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mode: enforce, true, true",
    "mode: enforce, false, false",
    "mode: shadow, true, false"
  })
  void refusesUndecidedRequestOnlyByRuleInScope(
      String mode, boolean isForClosed, boolean isRefused) {
    assertThat(actionFor(mode, 1, new Broken(isForClosed)))
        .isInstanceOf(isRefused ? FilterAction.Refused.class : FilterAction.Pass.class);
  }
}
