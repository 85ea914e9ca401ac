package io.weir.server.gateway;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.http.Header;
import io.weir.server.access.AccessEntry;
import io.weir.server.access.AccessLog;
import io.weir.server.connection.ResponseBackpressure;
import io.weir.server.connection.TimeoutSweeper;
import io.weir.server.traffic.StatusClass;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One proxied request. Both bodies are streamed, at the pace of the slower side.
 *
 * <pre>
 *   CONNECTING → SENDING → WAITING → RECEIVING → OVER
 *        ↑___________________|  retry, if the first attempt cannot have had an effect
 * </pre>
 *
 * <p>A body either arrives complete or is visibly broken. So when one side fails, the other is
 * reset and not ended: an end would make half a body look complete.
 */
final class ProxyExchange extends TimeoutSweeper.Watched implements UpstreamRequest.Listener {
  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.server");
  private static final RateLimitedLog SLOW_READERS = new RateLimitedLog("io.weir.server");

  /** How long a client waits for a server that may not support {@code Expect}. */
  private static final long EXPECTATION = 1_000_000_000L;

  private final ProxyOptions proxyOptions;
  private final InboundRequest inboundRequest;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<Header> limits;
  private final boolean isUpgrade;
  private final @Nullable RequestBody body;
  private final ProgressTimeout progressTimeout;
  private final @Nullable AccessEntry entry; // in the access log
  private UpstreamAttempt upstreamAttempt;
  private Stage stage = Stage.CONNECTING;
  private @Nullable UpstreamRequest upstreamRequest;
  private @Nullable ResponseBody back;
  private boolean isExpecting;

  private enum Stage {
    CONNECTING,
    SENDING,
    WAITING,
    RECEIVING,
    OVER
  }

  /**
   * An exchange that has not begun. If the request may have a body, it must be paused.
   *
   * @param limits headers to add to the response
   */
  ProxyExchange(
      ProxyOptions proxyOptions,
      UpstreamPool upstreamPool,
      RouteTable.Group group,
      InboundRequest inboundRequest,
      List<Header> limits) {
    this.proxyOptions = proxyOptions;
    this.inboundRequest = inboundRequest;
    this.request = inboundRequest.request();
    this.response = request.response();
    this.limits = limits;
    this.isUpgrade = Tunnel.isRequested(request);
    this.body =
        RequestBody.isPossible(request)
            ? new RequestBody(this, request, proxyOptions.maxBody())
            : null;
    this.progressTimeout = new ProgressTimeout(proxyOptions);
    this.entry = proxyOptions.access() == null ? null : proxyOptions.access().of(request);
    this.upstreamAttempt =
        new UpstreamAttempt(
            this, upstreamPool, group, inboundRequest, isUpgrade, proxyOptions.trace());
  }

  void begin() {
    if (response.closed()) {
      count(StatusClass.NONE);
      return;
    }
    response.closeHandler(gone -> clientGone());
    response.exceptionHandler(known -> {}); // the close handler runs too
    if (body != null) {
      if (body.isTooLarge()) {
        refuse(ProxyError.LARGE_BODY);
        return;
      }
      body.prepare();
    }
    if (!inboundRequest.hasPlainTarget()) {
      refuse(ProxyError.BAD_TARGET);
      return;
    }
    TimeoutSweeper.here().add(this);
    upstreamAttempt.begin();
  }

  // To the server.

  /** Sends the request over a connection. */
  void send(UpstreamRequest to, UpstreamServer upstreamServer) {
    progressTimeout.moved();
    upstreamRequest = to;
    try {
      RequestHeaderFilter.copy(inboundRequest, to.headers(), to.version() == HttpVersion.HTTP_2);
      upstreamAttempt.name(to.headers());
    } catch (IllegalArgumentException e) {
      refuse(ProxyError.BAD_HEADER);
      return;
    }
    String host = inboundRequest.host();
    if (proxyOptions.preservesHost() && host != null) {
      to.host(host);
    }
    upstreamAttempt.sends();
    to.listener(this);
    if (isUpgrade
        && to instanceof VertxUpstreamRequest client
        && upstreamServer.scheme() != UpstreamServer.Scheme.H2C) {
      stage = Stage.WAITING;
      Tunnel.sendUpgrade(client.request());
    } else if (body == null) {
      stage = Stage.WAITING;
      to.end();
    } else {
      stage = Stage.SENDING;
      isExpecting = request.headers().contains(HttpHeaders.EXPECT);
      body.sendTo(to);
    }
  }

  /** Sends 100 (Continue): the server sent it, or did not respond to the expectation in time. */
  @Override
  public void continueReceived() {
    guarded(
        () -> {
          if (isExpecting && !isOver() && !response.headWritten()) {
            isExpecting = false;
            response.writeContinue();
          }
        });
  }

  @Override
  public void hintsReceived(MultiMap hints) {
    guarded(
        () -> {
          boolean mayBe = request.version() != HttpVersion.HTTP_1_0 && !response.writeQueueFull();
          if (mayBe && !isOver() && !response.headWritten()) {
            response.writeEarlyHints(ResponseHeaderFilter.hints(hints));
          }
        });
  }

  /** The trailers of the request that are forwarded. */
  io.netty.handler.codec.http.HttpHeaders trailers() {
    return RequestTrailers.of(request, proxyOptions.rules());
  }

  /** The request was sent completely. */
  void sent() {
    progressTimeout.moved();
    if (stage == Stage.SENDING) {
      stage = Stage.WAITING;
    }
  }

  // From the server.

  @Override
  public void unanswered(Throwable cause) {
    if (isOver()) {
      return;
    }
    progressTimeout.moved();
    stage = Stage.CONNECTING; // for a retry
    if (!upstreamAttempt.again(cause, body == null || body.isEmpty())) {
      ProxyError proxyError = ProxyError.ofAsking(cause);
      upstreamAttempt.failed(proxyError);
      refuse(proxyError);
    }
  }

  @Override
  public void answered() {
    UpstreamRequest from = upstreamRequest;
    if (isOver() || from == null) {
      return;
    }
    progressTimeout.moved();
    try {
      receive(from);
    } catch (RuntimeException e) {
      threw(e);
    }
  }

  private void receive(UpstreamRequest from) {
    int status = from.status();
    upstreamAttempt.answered(status, from.version());
    if (status < 200) {
      if (status == 101 && isUpgrade && from instanceof VertxUpstreamRequest client) {
        open(client);
      } else {
        malformedResponse();
      }
      return;
    }
    try {
      ResponseHeaderFilter.requireStatusLine(status, from.reason());
      HttpResponseStatus usual = HttpResponseStatus.valueOf(status);
      response.setStatusCode(status);
      if (!usual.reasonPhrase().equals(from.reason())) {
        response.setStatusMessage(from.reason());
      }
      ResponseHeaderFilter.copy(from, response.headers(), limits);
    } catch (IllegalArgumentException e) {
      malformedResponse();
      return;
    }
    stage = Stage.RECEIVING;
    if (status == 204 || status == 304 || request.method().equals(HttpMethod.HEAD)) {
      ResponseBackpressure.follow(request, response.end(), 0);
      delivered();
    } else {
      back = new ResponseBody(this, proxyOptions, request, from);
      back.begin();
    }
  }

  private void malformedResponse() {
    upstreamAttempt.erred(ProxyError.NO_HTTP);
    refuse(ProxyError.NO_HTTP);
  }

  @Override
  public void received(Buffer part) {
    if (back != null) {
      back.handle(part);
    }
  }

  @Override
  public void ended() {
    if (back != null) {
      guarded(back::ended);
    }
  }

  @Override
  public void broken() {
    if (back != null) {
      responseBroken();
    }
  }

  private void open(VertxUpstreamRequest from) {
    stage = Stage.OVER;
    count(StatusClass.INFORMATIONAL);
    TimeoutSweeper.here().remove(this);
    ResponseHeaderFilter.copy(from, response.headers(), limits);
    upstreamAttempt.served();
    Tunnel.open(
        request,
        from.response(),
        Tunnel.IDLE,
        proxyOptions.clock(),
        closing(upstreamAttempt.takenOver()),
        this);
  }

  /** What to run at the end of a tunnel. */
  private Runnable closing(Runnable over) {
    AccessLog access = proxyOptions.access();
    AccessEntry line = entry;
    if (access == null || line == null) {
      return over;
    }
    line.tunnel();
    return () -> {
      access.end(line, 101, 0);
      over.run();
    };
  }

  /** An attempt at a server begins. */
  void attemptStarted(UpstreamServer upstreamServer) {
    if (entry != null) {
      entry.upstream(upstreamServer.traffic().label());
    }
  }

  /** The response was written completely. */
  void delivered() {
    if (isOver()) {
      return;
    }
    boolean isRead = body == null || body.isEnded();
    upstreamAttempt.served();
    count(StatusClass.of(response.getStatusCode()));
    over(isRead && !isUpgrade);
    if (!isRead && body != null) {
      body.discard();
    }
  }

  // Failures.

  private void clientGone() {
    if (!isOver() && !response.ended()) {
      count(response.headWritten() ? StatusClass.of(response.getStatusCode()) : StatusClass.NONE);
      over(false);
    }
  }

  /** The request body was aborted or is malformed. */
  void bodyBroken() {
    refuse(ProxyError.BROKEN_BODY);
  }

  void bodyTooLarge() {
    refuse(ProxyError.LARGE_BODY);
  }

  /** The server aborted the response body. */
  void responseBroken() {
    upstreamAttempt.failed(ProxyError.HUNG_UP);
    refuse(ProxyError.HUNG_UP);
  }

  /** Ends this slow exchange, because another request needs its connection. */
  void abortSlow() {
    if (stage == Stage.RECEIVING) {
      SLOW_READERS.log(
          Level.WARNING,
          "a response was aborted because its client does not read and no connection was free",
          null);
      refuse(ProxyError.SLOW_READER);
    } else {
      refuse(ProxyError.SLOW_BODY);
    }
  }

  /** Handles an unexpected exception of this code or of a library. */
  void threw(RuntimeException unexpected) {
    if (!isOver()) {
      LOG.log(Level.ERROR, "a request could not be forwarded", unexpected);
      refuse(ProxyError.NO_HTTP);
    }
  }

  /** Runs {@code work} after all input received so far has been passed on. */
  void later(Runnable work) {
    ((HttpServerRequestInternal) request).context().runOnContext(now -> guarded(work));
  }

  /** Runs {@code work}; an exception ends the exchange. */
  void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      threw(e);
    }
  }

  /** Sends an error response; or aborts the response, if one has begun. */
  void refuse(ProxyError proxyError) {
    if (isOver()) {
      return;
    }
    proxyOptions.traffic().errors().add(proxyError);
    if (response.headWritten()) {
      count(StatusClass.of(response.getStatusCode()));
    } else {
      count(response.closed() ? StatusClass.NONE : StatusClass.of(proxyError.status()));
    }
    over(false);
    ErrorResponses.send(
        request,
        proxyError,
        proxyOptions.cors().with(limits, request.getHeader(HttpHeaders.ORIGIN)));
  }

  /** Counts the request; called once. */
  private void count(StatusClass status) {
    upstreamAttempt.ends(proxyOptions.traffic().unasked()).add(status);
  }

  boolean isOver() {
    return stage == Stage.OVER;
  }

  /**
   * Ends the exchange.
   *
   * @param isWhole whether the connection to the server can be reused
   */
  private void over(boolean isWhole) {
    stage = Stage.OVER;
    TimeoutSweeper.here().remove(this);
    upstreamAttempt.over(isWhole);
  }

  // Timeouts.

  /** Records progress. */
  void moved() {
    progressTimeout.moved();
  }

  @Override
  public void look() {
    long now = proxyOptions.clock().epochNanos();
    long idle = progressTimeout.idle(now);
    RequestBody sending = stage == Stage.SENDING ? body : null;
    if (sending != null) {
      progressTimeout.follow(now, sending.isStalled());
      if (idle > proxyOptions.bodyNanos()) {
        refuse(notTaken(sending));
      } else if (progressTimeout.isTooSlow(now, sending.bytes())) {
        refuse(ProxyError.SLOW_BODY);
      } else if (isExpecting && idle > EXPECTATION) {
        continueReceived();
      }
    } else if (stage == Stage.WAITING && idle > proxyOptions.responseNanos()) {
      upstreamAttempt.unanswered();
      refuse(ProxyError.NO_ANSWER);
    } else if (stage == Stage.RECEIVING && back != null) {
      back.look(now);
      if (back.pace().isTooSlow() || idle > proxyOptions.bodyNanos() && back.isStalled()) {
        refuse(ProxyError.SLOW_READER);
      } else if (idle > proxyOptions.bodyNanos()) {
        responseBroken();
      }
    } else if (stage == Stage.CONNECTING && idle > proxyOptions.connectNanos()) {
      upstreamAttempt = upstreamAttempt.givenUp();
      upstreamAttempt.retryOnAnotherServer();
    }
  }

  private ProxyError notTaken(RequestBody sending) {
    if (!sending.isStalled()) {
      return ProxyError.SLOW_BODY;
    }
    upstreamAttempt.failed(ProxyError.NOT_READING);
    return ProxyError.NOT_READING;
  }

  /** The client of the request. */
  ClientIdentity clientIdentity() {
    return upstreamAttempt.clientIdentity();
  }

  /** Whether this uses a server of the group for the same purpose. */
  boolean isAttempting(RouteTable.Group group, boolean forUpgrade) {
    return upstreamAttempt.isOf(group, forUpgrade);
  }

  /** Whether it occupies a connection with a body that makes little progress. */
  boolean isSlow(long now) {
    if (stage == Stage.RECEIVING) {
      return back != null && back.pace().isIdling();
    }
    return stage == Stage.SENDING
        && body != null
        && !body.isStalled()
        && progressTimeout.isIdling(now, body.bytes());
  }

  /** How far its client lags behind a rate of 8 KiB a second, in nanoseconds. */
  long behind(long now) {
    if (stage == Stage.RECEIVING && back != null) {
      return back.pace().behind();
    }
    return body == null ? 0 : progressTimeout.behind(now, body.bytes());
  }
}
