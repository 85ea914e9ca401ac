package io.weir.server.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.weir.arbiter.Follower;
import io.weir.arbiter.RequestOutcome;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.match.MalformedRequestException;
import java.util.Optional;

/**
 * A span for each decision, within that of its request. Both have the outcome and the rule that
 * decided, and nothing about the caller.
 */
final class DecisionSpans implements Follower {
  private static final AttributeKey<String> RULE = AttributeKey.stringKey("weir.rule");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("weir.outcome");

  private final Tracer tracer;

  DecisionSpans(OpenTelemetry to) {
    this.tracer = to.getTracer("io.weir");
  }

  @Override
  public Step begin() {
    Context parent = RequestSpans.here();
    Span span = tracer.spanBuilder("weir.decide").setParent(parent).startSpan();
    return new Following(span, Span.fromContext(parent));
  }

  private record Following(Span span, Span request) implements Step {
    @Override
    public void decided(Ruling ruling) {
      end(RequestOutcome.of(ruling), ruling.deciding());
    }

    @Override
    public void decided(DescriptorRuling ruling) {
      end(RequestOutcome.of(ruling), RequestOutcome.deciding(ruling));
    }

    private void end(RequestOutcome outcome, Optional<Verdict> deciding) {
      for (Span each : new Span[] {span, request}) {
        each.setAttribute(OUTCOME, outcome.toString());
        deciding.ifPresent(verdict -> each.setAttribute(RULE, verdict.rule().name()));
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
