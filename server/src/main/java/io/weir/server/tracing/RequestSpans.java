package io.weir.server.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.vertx.core.MultiMap;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.observability.HttpResponse;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A span for each request that comes in. Its parent is whatever the request says, or the span of an
 * agent that was here first. The headers of the request are changed to name this span: as they are
 * what the gateway passes on, the server behind it continues the trace.
 */
final class RequestSpans implements VertxTracer<Span, Void> {
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");

  /** What a request is part of, for the decision that it needs. */
  private static final ContextLocal<Context> HERE = ContextLocal.registerLocal(Context.class);

  private static final TextMapGetter<MultiMap> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(MultiMap headers) {
          return headers.names();
        }

        @Override
        public @Nullable String get(@Nullable MultiMap headers, String name) {
          return headers == null ? null : headers.get(name);
        }
      };

  private final Tracer tracer;
  private final TextMapPropagator wire;

  RequestSpans(OpenTelemetry to) {
    this.tracer = to.getTracer("io.weir");
    this.wire = to.getPropagators().getTextMapPropagator();
  }

  /** What is under way on this thread: a request, or what an agent has said. */
  static Context here() {
    ContextInternal context = ContextInternal.current();
    Context known = context == null ? null : context.getLocal(HERE, AccessMode.CONCURRENT);
    return known == null ? Context.current() : known;
  }

  @Override
  public <R> @Nullable Span receiveRequest(
      io.vertx.core.Context context,
      io.vertx.core.spi.tracing.SpanKind kind,
      TracingPolicy policy,
      R request,
      String operation,
      Iterable<Map.Entry<String, String>> fields,
      TagExtractor<R> tags) {
    if (policy == TracingPolicy.IGNORE || !(fields instanceof MultiMap headers)) {
      return null;
    }
    Context parent = Context.current();
    if (!Span.fromContext(parent).getSpanContext().isValid()) {
      parent = wire.extract(parent, headers, HEADERS);
    }
    Span span =
        tracer
            .spanBuilder(operation)
            .setSpanKind(SpanKind.SERVER)
            .setParent(parent)
            .setAttribute(METHOD, operation)
            .startSpan();
    Context with = parent.with(span);
    wire.inject(with, headers, (to, name, value) -> to.set(name, value));
    ((ContextInternal) context).putLocal(HERE, AccessMode.CONCURRENT, with);
    return span;
  }

  @Override
  public <R> void sendResponse(
      io.vertx.core.Context context,
      @Nullable R response,
      @Nullable Span span,
      @Nullable Throwable failure,
      TagExtractor<R> tags) {
    if (span == null) {
      return;
    }
    if (response instanceof HttpResponse answer) {
      span.setAttribute(STATUS, Long.valueOf(answer.statusCode()));
      if (answer.statusCode() >= 500) {
        span.setStatus(StatusCode.ERROR);
      }
    }
    if (failure != null) {
      span.setStatus(
          StatusCode.ERROR, failure.getClass().getSimpleName()); // no words: a key may be in them
    }
    span.end();
  }
}
