package io.weir.server.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpVersion;
import io.weir.server.http.RequestTrace;

/** A client span for one attempt at an upstream. Used on the event loop of its request only. */
final class AttemptSpan implements RequestTrace.Attempt {
  private static final int MIN_ERROR_STATUS = 400;

  private final Span span;
  private final Context context;
  private final TextMapPropagator propagator;
  private boolean isAnswered;
  private boolean isOver;

  AttemptSpan(Span span, Context parent, TextMapPropagator propagator) {
    this.span = span;
    this.context = parent.with(span);
    this.propagator = propagator;
  }

  @Override
  public void inject(MultiMap headers) {
    propagator.inject(context, headers, (to, name, value) -> to.set(name, value));
  }

  @Override
  public void answered(int status, HttpVersion version) {
    if (isOver) {
      return;
    }
    isAnswered = true;
    span.setAttribute(HttpAttributes.STATUS, Long.valueOf(status));
    String protocol = HttpAttributes.version(version);
    if (protocol != null) {
      span.setAttribute(HttpAttributes.VERSION, protocol);
    }
    if (status >= MIN_ERROR_STATUS) {
      span.setAttribute(HttpAttributes.ERROR, Integer.toString(status));
      span.setStatus(StatusCode.ERROR);
    }
  }

  @Override
  public void failed(String why) {
    if (!isOver) {
      isOver = true;
      span.setAttribute(HttpAttributes.ERROR, why);
      span.setStatus(StatusCode.ERROR);
      span.end();
    }
  }

  @Override
  public void end() {
    if (!isAnswered) {
      failed("cancelled");
    } else if (!isOver) {
      isOver = true;
      span.end();
    }
  }
}
