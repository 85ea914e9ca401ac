package io.weir.server.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.StreamResetException;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.server.http.HttpResponses;
import io.weir.server.traffic.GatewayTraffic;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Why an allowed request got no response from a server, and what the client receives instead. */
enum ProxyError {
  /** All upstream connections are in use. */
  BUSY(503, "overloaded", ""),
  /** No route matches the request. */
  NO_ROUTE(404, "no_route", "no route matches this host and path"),
  REFUSED(502, "bad_gateway", "the upstream server refused the connection"),
  UNKNOWN_HOST(502, "bad_gateway", "the host name of the upstream server could not be resolved"),
  UNTRUSTED(502, "bad_gateway", "the certificate of the upstream server is not trusted"),
  UNREACHABLE(502, "bad_gateway", "could not connect to the upstream server"),
  CONNECT_TIMEOUT(504, "gateway_timeout", "could not connect to the upstream server in time"),
  HUNG_UP(502, "bad_gateway", "the upstream server closed the connection before it answered"),
  RESET(502, "bad_gateway", "the upstream server reset the request"),
  NO_HTTP(502, "bad_gateway", "the response of the upstream server cannot be forwarded"),
  NO_ANSWER(504, "gateway_timeout", "the upstream server did not answer in time"),
  NOT_READING(504, "gateway_timeout", "the upstream server did not read the request body in time"),
  SLOW_BODY(408, "request_timeout", "the request body was sent too slowly"),
  SLOW_READER(408, "request_timeout", "the response was read too slowly"),
  LARGE_BODY(413, "content_too_large", "the request body is larger than allowed"),
  BROKEN_BODY(400, "bad_request", "the request body is malformed"),
  BAD_TARGET(400, "bad_request", "the request target has a character that is not allowed"),
  BAD_HEADER(400, "bad_request", "a request header cannot be forwarded");

  /** Failures caused by a server. */
  private static final Set<ProxyError> OF_SERVERS =
      EnumSet.of(
          REFUSED,
          UNKNOWN_HOST,
          UNTRUSTED,
          UNREACHABLE,
          CONNECT_TIMEOUT,
          HUNG_UP,
          RESET,
          NO_HTTP,
          NO_ANSWER,
          NOT_READING);

  private final int status;
  private final String error;
  private final String message;

  ProxyError(int status, String error, String message) {
    this.status = status;
    this.error = error;
    this.message = message;
  }

  /** New counters of a gateway. */
  static GatewayTraffic<ProxyError> traffic() {
    return new GatewayTraffic<>(ProxyError.class, OF_SERVERS);
  }

  /** The status of the response. */
  int status() {
    return status;
  }

  /** Whether the request body caused it, so that the rest of the body is not read. */
  boolean isOfBody() {
    return this == SLOW_BODY || this == LARGE_BODY || this == BROKEN_BODY;
  }

  DirectResponse response(HttpServerRequest request) {
    return this == BUSY
        ? DecisionResponses.overloaded(1, request.getHeader("Accept"))
        : HttpResponses.error(status, error, message);
  }

  /** The failure for an exception while connecting. */
  static ProxyError ofConnecting(Throwable cause) {
    if (cause instanceof ConnectionPoolTooBusyException) {
      return BUSY;
    }
    if (cause instanceof ConnectTimeoutException || cause instanceof TimeoutException) {
      return CONNECT_TIMEOUT;
    }
    if (cause instanceof UnknownHostException) {
      return UNKNOWN_HOST;
    }
    if (cause instanceof SSLException) {
      return UNTRUSTED;
    }
    return cause instanceof ConnectException ? REFUSED : UNREACHABLE;
  }

  /** The failure for an exception after the request was sent. */
  static ProxyError ofAsking(Throwable cause) {
    if (cause instanceof StreamResetException) {
      return RESET;
    }
    return cause instanceof HttpClosedException || cause instanceof java.io.IOException
        ? HUNG_UP
        : NO_HTTP;
  }
}
