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
import io.weir.logs.RareLog;
import io.weir.rules.http.Header;
import io.weir.server.access.AccessEntry;
import io.weir.server.access.AccessLog;
import io.weir.server.http.Lookout;
import io.weir.server.http.Outflow;
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
final class Exchange extends Lookout.Watched implements Leg.Listener {
  private static final RareLog LOG = new RareLog("io.weir.server");
  private static final RareLog SLOW_READERS = new RareLog("io.weir.server");

  /** How long a client waits for a server that may not support {@code Expect}. */
  private static final long EXPECTATION = 1_000_000_000L;

  private final Terms terms;
  private final Inbound inbound;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<Header> limits;
  private final boolean isUpgrade;
  private final @Nullable RequestBody body;
  private final Pace pace;
  private final @Nullable AccessEntry entry; // in the access log
  private Asking asking;
  private Stage stage = Stage.CONNECTING;
  private @Nullable Leg leg;
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
  Exchange(Terms terms, Worker worker, Routes.Group group, Inbound inbound, List<Header> limits) {
    this.terms = terms;
    this.inbound = inbound;
    this.request = inbound.request();
    this.response = request.response();
    this.limits = limits;
    this.isUpgrade = Tunnel.isAskedFor(request);
    this.body =
        RequestBody.isPossible(request) ? new RequestBody(this, request, terms.maxBody()) : null;
    this.pace = new Pace(terms);
    this.entry = terms.access() == null ? null : terms.access().of(request);
    this.asking = new Asking(this, worker, group, inbound, isUpgrade, terms.trace());
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
        refuse(Failure.LARGE_BODY);
        return;
      }
      body.prepare();
    }
    if (!inbound.hasPlainTarget()) {
      refuse(Failure.BAD_TARGET);
      return;
    }
    Lookout.here().add(this);
    asking.begin();
  }

  // To the server.

  /** Sends the request over a connection. */
  void send(Leg to, Origin origin) {
    pace.moved();
    leg = to;
    try {
      Passage.copy(inbound, to.headers(), to.version() == HttpVersion.HTTP_2);
      asking.name(to.headers());
    } catch (IllegalArgumentException e) {
      refuse(Failure.BAD_HEADER);
      return;
    }
    String host = inbound.host();
    if (terms.preservesHost() && host != null) {
      to.host(host);
    }
    asking.sends();
    to.listener(this);
    if (isUpgrade && to instanceof ClientLeg client && origin.scheme() != Origin.Scheme.H2C) {
      stage = Stage.WAITING;
      Tunnel.ask(client.request());
    } else if (body == null) {
      stage = Stage.WAITING;
      to.end();
    } else {
      stage = Stage.SENDING;
      isExpecting = request.headers().contains(HttpHeaders.EXPECT);
      body.sendTo(to);
    }
  }

  /** Sends 100 (Continue): the server asked for the body, or has not answered the expectation. */
  @Override
  public void goOn() {
    guarded(
        () -> {
          if (isExpecting && !isOver() && !response.headWritten()) {
            isExpecting = false;
            response.writeContinue();
          }
        });
  }

  @Override
  public void hinted(MultiMap hints) {
    guarded(
        () -> {
          boolean mayBe = request.version() != HttpVersion.HTTP_1_0 && !response.writeQueueFull();
          if (mayBe && !isOver() && !response.headWritten()) {
            response.writeEarlyHints(WayBack.hints(hints));
          }
        });
  }

  /** The trailers of the request that are forwarded. */
  io.netty.handler.codec.http.HttpHeaders trailers() {
    return RequestTrailers.of(request, terms.rules());
  }

  /** The request was sent completely. */
  void sent() {
    pace.moved();
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
    pace.moved();
    stage = Stage.CONNECTING; // for a retry
    if (!asking.again(cause, body == null || body.isEmpty())) {
      Failure failure = Failure.ofAsking(cause);
      asking.failed(failure);
      refuse(failure);
    }
  }

  @Override
  public void answered() {
    Leg from = leg;
    if (isOver() || from == null) {
      return;
    }
    pace.moved();
    try {
      receive(from);
    } catch (RuntimeException e) {
      threw(e);
    }
  }

  private void receive(Leg from) {
    int status = from.status();
    asking.answered(status, from.version());
    if (status < 200) {
      if (status == 101 && isUpgrade && from instanceof ClientLeg client) {
        open(client);
      } else {
        answeredNonsense();
      }
      return;
    }
    try {
      WayBack.requireStatusLine(status, from.reason());
      HttpResponseStatus usual = HttpResponseStatus.valueOf(status);
      response.setStatusCode(status);
      if (!usual.reasonPhrase().equals(from.reason())) {
        response.setStatusMessage(from.reason());
      }
      WayBack.copy(from, response.headers(), limits);
    } catch (IllegalArgumentException e) {
      answeredNonsense();
      return;
    }
    stage = Stage.RECEIVING;
    if (status == 204 || status == 304 || request.method().equals(HttpMethod.HEAD)) {
      Outflow.follow(request, response.end(), 0);
      delivered();
    } else {
      back = new ResponseBody(this, terms, request, from);
      back.begin();
    }
  }

  private void answeredNonsense() {
    asking.erred(Failure.NO_HTTP);
    refuse(Failure.NO_HTTP);
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

  private void open(ClientLeg from) {
    stage = Stage.OVER;
    count(StatusClass.INFORMATIONAL);
    Lookout.here().remove(this);
    WayBack.copy(from, response.headers(), limits);
    asking.served();
    Tunnel.open(request, from.response(), Tunnel.IDLE, closing(asking.takenOver()), this);
  }

  /** What to run at the end of a tunnel. */
  private Runnable closing(Runnable over) {
    AccessLog access = terms.access();
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
  void asks(Origin origin) {
    if (entry != null) {
      entry.upstream(origin.traffic().label());
    }
  }

  /** The response was written completely. */
  void delivered() {
    if (isOver()) {
      return;
    }
    boolean isRead = body == null || body.isEnded();
    asking.served();
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
    refuse(Failure.BROKEN_BODY);
  }

  void bodyTooLarge() {
    refuse(Failure.LARGE_BODY);
  }

  /** The server aborted the response body. */
  void responseBroken() {
    asking.failed(Failure.HUNG_UP);
    refuse(Failure.HUNG_UP);
  }

  /** Ends this slow exchange, because another request needs its connection. */
  void giveWay() {
    if (stage == Stage.RECEIVING) {
      SLOW_READERS.log(
          Level.WARNING,
          "a response was aborted because its client does not read and no connection was free",
          null);
      refuse(Failure.SLOW_READER);
    } else {
      refuse(Failure.SLOW_BODY);
    }
  }

  /** Handles an unexpected exception of this code or of a library. */
  void threw(RuntimeException unexpected) {
    if (!isOver()) {
      LOG.log(Level.ERROR, "a request could not be forwarded", unexpected);
      refuse(Failure.NO_HTTP);
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
  void refuse(Failure failure) {
    if (isOver()) {
      return;
    }
    terms.traffic().errors().add(failure);
    if (response.headWritten()) {
      count(StatusClass.of(response.getStatusCode()));
    } else {
      count(response.closed() ? StatusClass.NONE : StatusClass.of(failure.status()));
    }
    over(false);
    LastWord.tell(
        request, failure, terms.cors().with(limits, request.getHeader(HttpHeaders.ORIGIN)));
  }

  /** Counts the request; called once. */
  private void count(StatusClass status) {
    asking.ends(terms.traffic().unasked()).add(status);
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
    Lookout.here().remove(this);
    asking.over(isWhole);
  }

  // Timeouts.

  /** Notes progress. */
  void moved() {
    pace.moved();
  }

  @Override
  protected void look(long now) {
    long idle = pace.idle(now);
    RequestBody sending = stage == Stage.SENDING ? body : null;
    if (sending != null) {
      pace.follow(now, sending.isStalled());
      if (idle > terms.bodyNanos()) {
        refuse(notTaken(sending));
      } else if (pace.isTooSlow(now, sending.bytes())) {
        refuse(Failure.SLOW_BODY);
      } else if (isExpecting && idle > EXPECTATION) {
        goOn();
      }
    } else if (stage == Stage.WAITING && idle > terms.responseNanos()) {
      asking.unanswered();
      refuse(Failure.NO_ANSWER);
    } else if (stage == Stage.RECEIVING && back != null) {
      back.look(now);
      if (back.pace().isTooSlow() || idle > terms.bodyNanos() && back.isStalled()) {
        refuse(Failure.SLOW_READER);
      } else if (idle > terms.bodyNanos()) {
        responseBroken();
      }
    } else if (stage == Stage.CONNECTING && idle > terms.connectNanos()) {
      asking = asking.givenUp();
      asking.beginElsewhere();
    }
  }

  private Failure notTaken(RequestBody sending) {
    if (!sending.isStalled()) {
      return Failure.SLOW_BODY;
    }
    asking.failed(Failure.NOT_READING);
    return Failure.NOT_READING;
  }

  /** The client of the request. */
  Client client() {
    return asking.client();
  }

  /** Whether this uses a server of the group for the same purpose. */
  boolean isAsking(Routes.Group group, boolean forUpgrade) {
    return asking.isOf(group, forUpgrade);
  }

  /** Whether it occupies a connection with a body that makes little progress. */
  boolean isSlow(long now) {
    if (stage == Stage.RECEIVING) {
      return back != null && back.pace().isIdling();
    }
    return stage == Stage.SENDING
        && body != null
        && !body.isStalled()
        && pace.isIdling(now, body.bytes());
  }

  /** How far its client lags behind a rate of 8 KiB a second, in nanoseconds. */
  long behind(long now) {
    if (stage == Stage.RECEIVING && back != null) {
      return back.pace().behind();
    }
    return body == null ? 0 : pace.behind(now, body.bytes());
  }
}
