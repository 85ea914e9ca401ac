package io.weir.server.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.observability.HttpResponse;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import io.weir.server.http.RequestTrace;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A span for each incoming request. Its parent is the trace context in the request's headers, or
 * the span of an OpenTelemetry agent. The headers of the request are changed to refer to this span:
 * the gateway passes them on, so the upstream continues the trace. Each attempt at an upstream has
 * its own span within it, and the upstream then gets that one.
 *
 * <p>Attributes are those of the HTTP semantic conventions that do not identify the caller: no
 * query, no address, no header.
 */
final class RequestSpans implements VertxTracer<Span, Void>, RequestTrace {
  /** The trace context of a request, for its decision. */
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
  private final TextMapPropagator propagator;

  RequestSpans(OpenTelemetry to) {
    this.tracer = to.getTracer("io.weir");
    this.propagator = to.getPropagators().getTextMapPropagator();
  }

  /** The current trace context of this thread: that of a request, or that of an agent. */
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
      parent = propagator.extract(parent, headers, HEADERS);
    }
    SpanBuilder builder =
        tracer
            .spanBuilder(HttpAttributes.name(operation))
            .setSpanKind(SpanKind.SERVER)
            .setParent(parent);
    HttpAttributes.method(builder, operation);
    if (request instanceof HttpServerRequest http) {
      describe(builder, http);
    }
    Span span = builder.startSpan();
    Context with = parent.with(span);
    propagator.inject(with, headers, (to, name, value) -> to.set(name, value));
    ((ContextInternal) context).putLocal(HERE, AccessMode.CONCURRENT, with);
    return span;
  }

  private static void describe(SpanBuilder span, HttpServerRequest request) {
    String scheme = request.isSSL() ? "https" : "http";
    span.setAttribute(HttpAttributes.SCHEME, scheme);
    span.setAttribute(HttpAttributes.PATH, HttpAttributes.path(request.uri()));
    String version = HttpAttributes.version(request.version());
    if (version != null) {
      span.setAttribute(HttpAttributes.VERSION, version);
    }
    HostAndPort authority = request.authority();
    if (authority != null) {
      int usual = request.isSSL() ? 443 : 80;
      span.setAttribute(HttpAttributes.SERVER, authority.host());
      span.setAttribute(
          HttpAttributes.PORT, Long.valueOf(authority.port() > 0 ? authority.port() : usual));
    }
  }

  private static Context of(HttpServerRequest request) {
    Context known =
        ((HttpServerRequestInternal) request).context().getLocal(HERE, AccessMode.CONCURRENT);
    return known == null ? Context.root() : known;
  }

  @Override
  public void routed(HttpServerRequest request, String route) {
    Span span = Span.fromContext(of(request));
    span.setAttribute(HttpAttributes.ROUTE, route);
    span.updateName(HttpAttributes.name(request.method().name()) + " " + route);
  }

  @Override
  public @Nullable String id(HttpServerRequest request) {
    SpanContext span = Span.fromContext(of(request)).getSpanContext();
    return span.isValid() ? span.getTraceId() : null;
  }

  @Override
  public Attempt startAttempt(HttpServerRequest request, Target server, String path, int resends) {
    Context parent = of(request);
    String method = request.method().name();
    String host = server.host().indexOf(':') >= 0 ? "[" + server.host() + "]" : server.host();
    SpanBuilder span =
        tracer
            .spanBuilder(HttpAttributes.name(method))
            .setSpanKind(SpanKind.CLIENT)
            .setParent(parent)
            .setAttribute(HttpAttributes.SERVER, server.host())
            .setAttribute(HttpAttributes.PORT, Long.valueOf(server.port()))
            .setAttribute(
                HttpAttributes.URL, server.scheme() + "://" + host + ":" + server.port() + path);
    HttpAttributes.method(span, method);
    if (resends > 0) {
      span.setAttribute(HttpAttributes.RESEND_COUNT, Long.valueOf(resends));
    }
    return new AttemptSpan(span.startSpan(), parent, propagator);
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
    if (response instanceof HttpResponse httpResponse) {
      span.setAttribute(HttpAttributes.STATUS, Long.valueOf(httpResponse.statusCode()));
      if (httpResponse.statusCode() >= 500) {
        span.setAttribute(HttpAttributes.ERROR, Integer.toString(httpResponse.statusCode()));
        span.setStatus(StatusCode.ERROR);
      }
    }
    if (failure != null) {
      span.setAttribute(HttpAttributes.ERROR, failure.getClass().getName());
      span.setStatus(StatusCode.ERROR); // no description: it may contain a key
    }
    span.end();
  }
}
