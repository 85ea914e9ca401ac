package io.weir.server.tracing;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.vertx.core.spi.VertxTracerFactory;
import io.weir.decision.DecisionTracer;
import io.weir.server.http.RequestTrace;
import org.jspecify.annotations.Nullable;

/** Spans for requests and decisions, if OpenTelemetry is present. Thread-safe. */
public final class Tracing {
  private static final String AGENT = "io/opentelemetry/javaagent/OpenTelemetryAgent.class";
  private static final String GLOBAL = "otel.java.global-autoconfigure.enabled";

  private final RequestSpans requests;
  private final DecisionSpans decisions;

  private Tracing(OpenTelemetry to) {
    this.requests = new RequestSpans(to);
    this.decisions = new DecisionSpans(to);
  }

  /** Tracing by an OpenTelemetry that the program has set up. */
  public static Tracing by(OpenTelemetry to) {
    return new Tracing(to);
  }

  /**
   * Tracing by the OpenTelemetry agent, or by its SDK if autoconfiguration is enabled; null if
   * there is neither. The check does not load the API.
   */
  public static @Nullable Tracing ifPresent() {
    String isGlobal =
        System.getProperty(GLOBAL, System.getenv("OTEL_JAVA_GLOBAL_AUTOCONFIGURE_ENABLED"));
    return Boolean.parseBoolean(isGlobal) || ClassLoader.getSystemResource(AGENT) != null
        ? by(GlobalOpenTelemetry.get())
        : null;
  }

  /** Makes Vert.x report requests. */
  public VertxTracerFactory requests() {
    return options -> requests;
  }

  /** Receives the reports of requests from the ports. */
  public RequestTrace trace() {
    return requests;
  }

  /** Receives the reports of decisions. */
  public DecisionTracer decisions() {
    return decisions;
  }
}
