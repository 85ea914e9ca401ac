package io.weir.server.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.weir.decision.DecisionTracer;
import io.weir.decision.RequestOutcome;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.match.MalformedRequestException;
import java.util.Optional;

/**
 * A span for each decision, within that of its request. Both have the outcome and the rule that
 * decided, and nothing about the caller.
 */
final class DecisionSpans implements DecisionTracer {
  private static final AttributeKey<String> RULE = AttributeKey.stringKey("weir.rule");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("weir.outcome");

  private final Tracer tracer;

  DecisionSpans(OpenTelemetry to) {
    this.tracer = to.getTracer("io.weir");
  }

  @Override
  public ActiveDecision begin() {
    Context parent = RequestSpans.here();
    Span span = tracer.spanBuilder("weir.decide").setParent(parent).startSpan();
    return new DecisionSpan(span, Span.fromContext(parent));
  }

  private record DecisionSpan(Span span, Span request) implements ActiveDecision {
    @Override
    public void decided(RequestDecision requestDecision) {
      end(RequestOutcome.of(requestDecision), requestDecision.deciding());
    }

    @Override
    public void decided(DescriptorDecision decision) {
      end(RequestOutcome.of(decision), RequestOutcome.deciding(decision));
    }

    private void end(RequestOutcome outcome, Optional<RuleDecision> deciding) {
      for (Span each : new Span[] {span, request}) {
        each.setAttribute(OUTCOME, outcome.toString());
        deciding.ifPresent(ruleDecision -> each.setAttribute(RULE, ruleDecision.rule().name()));
      }
      span.end();
    }

    @Override
    public void failed(Throwable cause) {
      if (!(cause instanceof MalformedRequestException)) { // the caller's mistake
        span.setStatus(StatusCode.ERROR, cause.getClass().getSimpleName());
      }
      span.end();
    }
  }
}
