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
 * A request on its way through: both bodies flow as they come, at the pace of whoever is slower.
 *
 * <pre>
 *   CONNECTING → SENDING → WAITING → RECEIVING → OVER
 *        ↑___________________|  once more, if nothing can have come of the first try
 * </pre>
 *
 * <p>A body either arrives whole or is seen to be broken. So when one side fails, the other is not
 * ended but reset: an end would make half a body look like a whole one.
 */
final class Exchange extends Lookout.Watched implements Leg.Listener {
  private static final RareLog LOG = new RareLog("io.weir.server");
  private static final RareLog SLOW_READERS = new RareLog("io.weir.server");

  /** How long a client waits at most for a server that may not know what {@code Expect} is. */
  private static final long EXPECTATION = 1_000_000_000L;

  private final Terms terms;
  private final Inbound inbound;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<Header> limits;
  private final boolean isUpgrade;
  private final @Nullable RequestBody body;
  private final Pace pace;
  private final @Nullable AccessEntry entry; // of the access log
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
   * An exchange that has not begun; if the request may have a body it must be paused.
   *
   * @param limits headers that the response carries besides its own
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
    response.exceptionHandler(known -> {}); // it is closed, too
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

  /** There is a connection. */
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

  /** The server wants the body; or it says nothing, and the client waits for a word. */
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

  /** What the request says behind its body, as far as it goes upstream. */
  io.netty.handler.codec.http.HttpHeaders trailers() {
    return RequestTrailers.of(request, terms.rules());
  }

  /** The whole request was sent. */
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
    stage = Stage.CONNECTING; // maybe
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

  /** What is to be done at the end of a tunnel. */
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

  /** A server is asked. */
  void asks(Origin origin) {
    if (entry != null) {
      entry.upstream(origin.traffic().label());
    }
  }

  /** The whole response was handed to the client. */
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

  // What goes wrong.

  private void clientGone() {
    if (!isOver() && !response.ended()) {
      count(response.headWritten() ? StatusClass.of(response.getStatusCode()) : StatusClass.NONE);
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
    asking.failed(Failure.HUNG_UP);
    refuse(Failure.HUNG_UP);
  }

  /** Another needs the connection, and this one makes little use of it. */
  void giveWay() {
    if (stage == Stage.RECEIVING) {
      SLOW_READERS.log(
          Level.WARNING, "a response that its client does not read gave way to a request", null);
      refuse(Failure.SLOW_READER);
    } else {
      refuse(Failure.SLOW_BODY);
    }
  }

  /** Something here or in a library did not expect what came. */
  void threw(RuntimeException unexpected) {
    if (!isOver()) {
      LOG.log(Level.ERROR, "a request could not be forwarded", unexpected);
      refuse(Failure.NO_HTTP);
    }
  }

  /** Does {@code work} when all that has come by now is handed on. */
  void later(Runnable work) {
    ((HttpServerRequestInternal) request).context().runOnContext(now -> guarded(work));
  }

  /** Does {@code work}; if it throws, that is the end. */
  void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      threw(e);
    }
  }

  /** Answers instead of the server; or, if a response was begun, breaks it off. */
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

  /** Once for each request. */
  private void count(StatusClass status) {
    asking.ends(terms.traffic().unasked()).add(status);
  }

  boolean isOver() {
    return stage == Stage.OVER;
  }

  /**
   * @param isWhole whether the connection to the server can be used again
   */
  private void over(boolean isWhole) {
    stage = Stage.OVER;
    Lookout.here().remove(this);
    asking.over(isWhole);
  }

  // Deadlines.

  /** Something came or went. */
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

  /** The client that it is for. */
  Client client() {
    return asking.client();
  }

  /** Whether it needs a server of this group, for this purpose. */
  boolean isAsking(Routes.Group group, boolean forUpgrade) {
    return asking.isOf(group, forUpgrade);
  }

  /** Whether it holds a connection to a server for a body that hardly comes or goes. */
  boolean isSlow(long now) {
    if (stage == Stage.RECEIVING) {
      return back != null && back.pace().isIdling();
    }
    return stage == Stage.SENDING
        && body != null
        && !body.isStalled()
        && pace.isIdling(now, body.bytes());
  }

  /** How far its client is behind one of 8 KiB a second, in nanoseconds. */
  long behind(long now) {
    if (stage == Stage.RECEIVING && back != null) {
      return back.pace().behind();
    }
    return body == null ? 0 : pace.behind(now, body.bytes());
  }
}
