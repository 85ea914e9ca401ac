package io.weir.server.gateway;

import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.StreamResetException;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.server.http.Replies;
import io.weir.server.traffic.GatewayTraffic;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Why a request that was let through got no response of a server. */
enum Failure {
  /** All connections are in use. */
  BUSY(503, "overloaded", ""),
  /** No server is set for it. */
  NO_ROUTE(404, "no_route", "the gateway stands before no server for this host and path"),
  REFUSED(502, "bad_gateway", "the server behind the gateway refused the connection"),
  UNKNOWN_HOST(502, "bad_gateway", "the name of the server behind the gateway is not known"),
  UNTRUSTED(
      502, "bad_gateway", "the server behind the gateway has no certificate that is trusted here"),
  UNREACHABLE(502, "bad_gateway", "the server behind the gateway could not be connected to"),
  CONNECT_TIMEOUT(
      504, "gateway_timeout", "the server behind the gateway could not be connected to in time"),
  HUNG_UP(502, "bad_gateway", "the server behind the gateway hung up before it answered"),
  RESET(502, "bad_gateway", "the server behind the gateway broke off the request"),
  NO_HTTP(502, "bad_gateway", "the server behind the gateway answered what cannot be passed on"),
  NO_ANSWER(504, "gateway_timeout", "the server behind the gateway did not answer in time"),
  NOT_READING(504, "gateway_timeout", "the server behind the gateway did not take the body"),
  SLOW_BODY(408, "request_timeout", "the body of the request came too slowly"),
  SLOW_READER(408, "request_timeout", "the response was taken too slowly"),
  LARGE_BODY(413, "content_too_large", "the body of the request is larger than allowed here"),
  BROKEN_BODY(400, "bad_request", "the body of the request is broken"),
  BAD_TARGET(400, "bad_request", "the target of the request has a character that none may have"),
  BAD_HEADER(400, "bad_request", "a header of the request cannot be passed on");

  /** Those that are a server's doing. */
  private static final Set<Failure> OF_SERVERS =
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

  Failure(int status, String error, String message) {
    this.status = status;
    this.error = error;
    this.message = message;
  }

  /** Counters of a gateway, all of them at zero. */
  static GatewayTraffic<Failure> traffic() {
    return new GatewayTraffic<>(Failure.class, OF_SERVERS);
  }

  /** The status that clients get. */
  int status() {
    return status;
  }

  /** Whether it is the client's doing, so that the rest of its body is not waited for. */
  boolean isOfBody() {
    return this == SLOW_BODY || this == LARGE_BODY || this == BROKEN_BODY;
  }

  Answer answer(HttpServerRequest request) {
    return this == BUSY
        ? Answers.overloaded(1, request.getHeader("Accept"))
        : Replies.error(status, error, message);
  }

  /** Of a connection that could not be had. */
  static Failure ofConnecting(Throwable cause) {
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

  /** Of a request that was sent and not answered. */
  static Failure ofAsking(Throwable cause) {
    if (cause instanceof StreamResetException) {
      return RESET;
    }
    return cause instanceof HttpClosedException || cause instanceof java.io.IOException
        ? HUNG_UP
        : NO_HTTP;
  }
}
