package io.weir.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of requests in progress for distributed tracing. Called on the event loop of
 * the request; must not block.
 */
public interface RequestTrace {
  /**
   * The request was assigned to a route.
   *
   * @param route of low cardinality: a path of the API or of the settings
   */
  void routed(HttpServerRequest request, String route);

  /** The trace id of a request, as 32 hexadecimal digits; null if there is none. */
  @Nullable String id(HttpServerRequest request);

  /**
   * An attempt to send the request to a server begins.
   *
   * @param path of the requested URL, without a query
   * @param resends the number of earlier attempts
   */
  Attempt startAttempt(HttpServerRequest request, Target server, String path, int resends);

  /**
   * A server to which requests are sent.
   *
   * @param scheme {@code http} or {@code https}
   */
  record Target(String scheme, String host, int port) {}

  /** One attempt to get a response from a server; calls after its end are ignored. */
  interface Attempt {
    /** Adds the trace context of this attempt to the headers of the request to be sent. */
    void inject(MultiMap headers);

    /** The head of the response was received. */
    void answered(int status, HttpVersion version);

    /**
     * There is no response, or it is incomplete.
     *
     * @param why a word of low cardinality
     */
    void failed(String why);

    /** The attempt is over; without a response, it was cancelled. */
    void end();
  }
}
