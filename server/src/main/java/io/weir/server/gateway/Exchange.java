package io.weir.server.gateway;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.AsyncResult;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.weir.rules.http.Header;
import io.weir.server.http.Leftovers;
import io.weir.server.http.RareLog;
import io.weir.server.http.Replies;
import java.lang.System.Logger.Level;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way through: both bodies flow as they come, at the pace of whoever is slower.
 *
 * <pre>
 *   CONNECTING → SENDING → WAITING → RECEIVING → OVER
 *        ↑___________________|  once more, if nothing can have come of the first try
 * </pre>
 *
 * <p>A body either arrives whole or is seen to be broken. So when one side fails, the other is not
 * ended but reset: an end would make half a body look like a whole one. And a connection to a
 * server over which half a request was sent is closed: what came next would be taken for the rest.
 */
final class Exchange extends Patrol.Watched {
  private static final RareLog LOG = new RareLog("io.weir.server");
  private static final Handler<Throwable> KNOWN = failure -> {}; // the response fails by the same
  private static final int MOST_TRIES = 3;

  /** How long a client waits at most for a server that may not know what {@code Expect} is. */
  private static final long EXPECTATION = 1_000_000_000L;

  private static final long LINGER_MILLIS = 1000;

  /** Of HTTP/2. */
  private static final long INTERNAL_ERROR = 2;

  private static final long CANCEL = 8;

  private final Terms terms;
  private final Worker worker;
  private final Routes.Group group;
  private final Inbound inbound;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<Header> limits;
  private final boolean isUpgrade;
  private final @Nullable RequestBody body;
  private final Pace pace;
  private Stage stage = Stage.CONNECTING;
  private @Nullable Upstream server; // while it counts this as under way
  private @Nullable HttpClientRequest outbound;
  private @Nullable ResponseBody back;
  private boolean isHeadSent;
  private boolean isFirst;
  private boolean isExpecting;
  private long tried;
  private int tries;

  private enum Stage {
    CONNECTING,
    SENDING,
    WAITING,
    RECEIVING,
    OVER
  }

  /**
   * An exchange that has not begun; if the request may have a body it must be paused.
   *
   * @param limits headers that the response carries besides its own
   */
  Exchange(Terms terms, Worker worker, Routes.Group group, Inbound inbound, List<Header> limits) {
    this.terms = terms;
    this.worker = worker;
    this.group = group;
    this.inbound = inbound;
    this.request = inbound.request();
    this.response = request.response();
    this.limits = limits;
    this.isUpgrade = Tunnel.isAskedFor(request);
    this.body =
        RequestBody.isPossible(request) ? new RequestBody(this, request, terms.maxBody()) : null;
    this.pace = new Pace(terms);
  }

  void begin() {
    if (response.closed()) {
      return;
    }
    response.closeHandler(gone -> clientGone());
    response.exceptionHandler(KNOWN);
    if (body != null) {
      if (body.isTooLarge()) {
        refuse(Failure.LARGE_BODY);
        return;
      }
      body.prepare();
    }
    if (!isPlain(inbound.target())) {
      refuse(Failure.BAD_TARGET);
      return;
    }
    worker.patrol().add(this);
    ask();
  }

  /** What is not would make the client throw in the midst of its work, and stick. */
  private static boolean isPlain(String target) {
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        return false;
      }
    }
    return true;
  }

  // To the server.

  private void ask() {
    int place = worker.next(group, isUpgrade, tried);
    if (place < 0 && worker.makeRoom(group)) {
      place = worker.next(group, isUpgrade, tried);
    }
    if (place < 0) {
      refuse(Failure.BUSY);
      return;
    }
    Upstream next = worker.at(group, isUpgrade, place);
    tried |= 1L << place;
    tries++;
    server = next;
    stage = Stage.CONNECTING;
    try {
      next.request(request.method(), inbound.target()).onComplete(this::connected);
    } catch (RuntimeException e) {
      threw(e);
    }
  }

  private void connected(AsyncResult<HttpClientRequest> result) {
    Upstream asked = server;
    if (asked == null || stage == Stage.OVER) {
      if (result.succeeded()) {
        result.result().reset(CANCEL); // nothing was sent: the connection is as good as before
      }
      release();
    } else if (result.failed()) {
      couldNotConnect(asked, result.cause());
    } else {
      outbound = result.result();
      isFirst = asked.isFirst(result.result());
      pace.moved();
      try {
        send(result.result(), asked.origin());
      } catch (RuntimeException e) {
        threw(e);
      }
    }
  }

  private void couldNotConnect(Upstream asked, Throwable cause) {
    Failure failure = Failure.ofConnecting(cause);
    if (failure != Failure.BUSY) {
      asked.origin().failed();
    }
    release();
    if (tries < MOST_TRIES && worker.next(group, isUpgrade, tried) >= 0) {
      ask();
    } else {
      refuse(failure);
    }
  }

  private void send(HttpClientRequest to, Origin origin) {
    to.exceptionHandler(KNOWN);
    try {
      Passage.copy(inbound, to.headers(), to.version() == HttpVersion.HTTP_2);
    } catch (IllegalArgumentException e) {
      refuse(Failure.BAD_HEADER);
      return;
    }
    String host = inbound.host();
    HostAndPort asked =
        terms.preservesHost() && host != null ? HostAndPort.parseAuthority(host, -1) : null;
    if (asked != null) {
      to.authority(asked);
    }
    isHeadSent = true;
    to.response().onComplete(this::answered);
    to.earlyHintsHandler(this::hinted);
    if (isUpgrade && origin.scheme() != Origin.Scheme.H2C) {
      stage = Stage.WAITING;
      Tunnel.ask(to);
    } else if (body == null) {
      stage = Stage.WAITING;
      to.end();
    } else {
      stage = Stage.SENDING;
      if (request.headers().contains(HttpHeaders.EXPECT)) {
        isExpecting = true;
        to.continueHandler(now -> guarded(this::goOn));
      }
      body.sendTo(to);
    }
  }

  /** The server wants the body; or it says nothing, and the client waits for a word. */
  private void goOn() {
    if (isExpecting && !isOver() && !response.headWritten()) {
      isExpecting = false;
      response.writeContinue();
    }
  }

  private void hinted(MultiMap hints) {
    guarded(
        () -> {
          if (!isOver() && !response.headWritten() && request.version() != HttpVersion.HTTP_1_0) {
            response.writeEarlyHints(hints);
          }
        });
  }

  /** The whole request was sent. */
  void sent() {
    pace.moved();
    if (stage == Stage.SENDING) {
      stage = Stage.WAITING;
    }
  }

  // From the server.

  private void answered(AsyncResult<HttpClientResponse> result) {
    if (isOver()) {
      return;
    }
    pace.moved();
    if (result.succeeded()) {
      try {
        receive(result.result());
      } catch (RuntimeException e) {
        threw(e);
      }
    } else if (mayAskAgain(result.cause())) {
      release();
      outbound = null;
      isHeadSent = false;
      tried = 0; // it was the connection that was stale, not the server
      ask();
    } else {
      failed();
      refuse(Failure.ofAsking(result.cause()));
    }
  }

  /**
   * Whether nothing can have come of it: the server had closed a connection that was kept, and even
   * if it had not, doing it twice is as good as once.
   */
  private boolean mayAskAgain(Throwable cause) {
    return cause instanceof HttpClosedException
        && !isFirst
        && !isUpgrade
        && tries < MOST_TRIES
        && (body == null || body.isEmpty())
        && isIdempotent(request.method());
  }

  private static boolean isIdempotent(HttpMethod method) {
    return switch (method.name()) {
      case "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE" -> true;
      default -> false;
    };
  }

  private void receive(HttpClientResponse from) {
    int status = from.statusCode();
    from.exceptionHandler(KNOWN);
    if (status == 502 || status == 503 || status == 504) {
      failed();
    } else if (server != null) {
      server.origin().answered();
    }
    if (status < 200) {
      if (status == 101 && isUpgrade) {
        open(from);
      } else {
        refuse(Failure.NO_HTTP);
      }
      return;
    }
    try {
      HttpResponseStatus usual = HttpResponseStatus.valueOf(status);
      response.setStatusCode(status);
      if (!usual.reasonPhrase().equals(from.statusMessage())) {
        response.setStatusMessage(from.statusMessage());
      }
      WayBack.copy(from, response.headers(), limits);
    } catch (IllegalArgumentException e) {
      refuse(Failure.NO_HTTP);
      return;
    }
    stage = Stage.RECEIVING;
    closeUnlessToldToGoOn();
    if (status == 204 || status == 304 || request.method().equals(HttpMethod.HEAD)) {
      response.end();
      delivered();
    } else {
      back = new ResponseBody(this, request, from);
      back.begin();
    }
  }

  /** A client that was not told to go on may take the connection for free, or send its body. */
  private void closeUnlessToldToGoOn() {
    if (isExpecting && !isRead() && request.version() != HttpVersion.HTTP_2) {
      response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  private boolean isRead() {
    return body == null || body.isEnded();
  }

  private void open(HttpClientResponse from) {
    Upstream asked = server;
    server = null; // until the tunnel is closed
    stage = Stage.OVER;
    worker.patrol().remove(this);
    WayBack.copy(from, response.headers(), limits);
    Tunnel.open(
        request,
        from,
        () -> {
          if (asked != null) {
            asked.over();
          }
        });
  }

  /** The whole response was handed to the client. */
  void delivered() {
    if (isOver()) {
      return;
    }
    boolean isRead = isRead();
    over(isRead && !isUpgrade);
    if (!isRead && body != null) {
      if (isExpecting) {
        Leftovers.discardAndClose(request, LINGER_MILLIS);
      } else {
        body.discard();
      }
    }
  }

  // What goes wrong.

  private void clientGone() {
    if (!isOver() && !response.ended()) {
      over(false);
    }
  }

  /** The client broke its body off, or it makes no sense. */
  void bodyBroken() {
    refuse(Failure.BROKEN_BODY);
  }

  void bodyTooLarge() {
    refuse(Failure.LARGE_BODY);
  }

  /** The server broke its body off. */
  void responseBroken() {
    refuse(Failure.HUNG_UP);
  }

  /** Another needs the connection, and this one makes little use of it. */
  void giveWay() {
    refuse(Failure.SLOW_BODY);
  }

  /** Something here or in a library did not expect what came. */
  void threw(RuntimeException unexpected) {
    if (!isOver()) {
      LOG.log(Level.ERROR, "a request could not be forwarded", unexpected);
      refuse(Failure.NO_HTTP);
    }
  }

  /** Does {@code work}; if it throws, that is the end. */
  void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      threw(e);
    }
  }

  private void failed() {
    Upstream asked = server;
    if (asked != null) {
      asked.origin().failed();
    }
  }

  private void refuse(Failure failure) {
    if (isOver()) {
      return;
    }
    over(false);
    if (response.closed() || response.ended()) {
      return;
    }
    if (response.headWritten()) {
      response.reset(INTERNAL_ERROR); // in HTTP/1 the connection ends
      return;
    }
    boolean isLast = response.headers().contains(HttpHeaders.CONNECTION);
    response.headers().clear(); // some may be the server's
    if (isLast) {
      response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    List<Header> told = terms.cors().with(limits, request);
    if (failure.isOfBody()) {
      Replies.sendLast(request, failure.answer(request), told);
    } else {
      Replies.send(request, failure.answer(request), told);
    }
  }

  boolean isOver() {
    return stage == Stage.OVER;
  }

  /**
   * @param isWhole whether the connection to the server can be used again
   */
  private void over(boolean isWhole) {
    boolean isConnecting = stage == Stage.CONNECTING;
    stage = Stage.OVER;
    worker.patrol().remove(this);
    if (!isConnecting) {
      release();
    }
    HttpClientRequest to = outbound;
    if (to != null && !isWhole) {
      if (isHeadSent && to.version() != HttpVersion.HTTP_2) {
        to.connection().close();
      } else {
        to.reset(CANCEL);
      }
    }
  }

  private void release() {
    Upstream asked = server;
    server = null;
    if (asked != null) {
      asked.over();
    }
  }

  // Deadlines.

  /** Something came or went. */
  void moved() {
    pace.moved();
  }

  @Override
  void look(long now) {
    long idle = pace.idle(now);
    RequestBody sending = stage == Stage.SENDING ? body : null;
    if (sending != null) {
      pace.follow(now, sending.isStalled());
      if (idle > terms.bodyNanos()) {
        refuse(sending.isStalled() ? Failure.NOT_READING : Failure.SLOW_BODY);
      } else if (pace.isTooSlow(now, sending.bytes())) {
        refuse(Failure.SLOW_BODY);
      } else if (isExpecting && idle > EXPECTATION) {
        guarded(this::goOn);
      }
    } else if (stage == Stage.WAITING && idle > terms.responseNanos()) {
      failed();
      refuse(Failure.NO_ANSWER);
    } else if (stage == Stage.RECEIVING && idle > terms.bodyNanos()) {
      responseBroken();
    } else if (stage == Stage.CONNECTING && idle > terms.connectNanos()) {
      refuse(Failure.CONNECT_TIMEOUT);
    } else if (back != null) {
      back.writeHead();
    }
  }

  /** Whether it holds a connection to a server of the group for a body that hardly comes. */
  boolean isSlow(Routes.Group ofGroup, long now) {
    return stage == Stage.SENDING
        && ofGroup.equals(group)
        && body != null
        && !body.isStalled()
        && pace.isIdling(now, body.bytes());
  }

  /** Bytes a second of the body so far. */
  double rate(long now) {
    return body == null ? Double.MAX_VALUE : pace.rate(now, body.bytes());
  }
}
