package io.weir.server.tracing;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.vertx.core.spi.VertxTracerFactory;
import io.weir.arbiter.Follower;
import io.weir.server.http.RequestTrace;
import org.jspecify.annotations.Nullable;

/** Spans for requests and decisions, if there is anybody who wants them. */
public final class Tracing {
  private static final String AGENT = "io/opentelemetry/javaagent/OpenTelemetryAgent.class";
  private static final String GLOBAL = "otel.java.global-autoconfigure.enabled";

  private final RequestSpans requests;
  private final DecisionSpans decisions;

  private Tracing(OpenTelemetry to) {
    this.requests = new RequestSpans(to);
    this.decisions = new DecisionSpans(to);
  }

  /** For a program that has set it up itself. */
  public static Tracing by(OpenTelemetry to) {
    return new Tracing(to);
  }

  /**
   * By the agent of OpenTelemetry, or by its SDK where that is told to set itself up; null if there
   * is neither. Asks for nothing that would load the API.
   */
  public static @Nullable Tracing ifThere() {
    String isGlobal =
        System.getProperty(GLOBAL, System.getenv("OTEL_JAVA_GLOBAL_AUTOCONFIGURE_ENABLED"));
    return Boolean.parseBoolean(isGlobal) || ClassLoader.getSystemResource(AGENT) != null
        ? by(GlobalOpenTelemetry.get())
        : null;
  }

  /** What makes a Vert.x tell of requests. */
  public VertxTracerFactory requests() {
    return options -> requests;
  }

  /** What ports report requests to. */
  public RequestTrace trace() {
    return requests;
  }

  /** What is to be told of decisions. */
  public Follower decisions() {
    return decisions;
  }
}
