package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Arbiter;
import io.weir.server.Settings;
import io.weir.server.http.Later;
import io.weir.server.http.Millis;
import io.weir.server.http.Proxies;
import io.weir.server.http.Replies;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * Limits a request, then forwards it.
 *
 * <p>The decision falls before a byte goes upstream and before the body is read. A refused request
 * is answered at once; one that has to wait for its turn is held here.
 */
public final class Gateway implements Handler<HttpServerRequest> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Vertx vertx;
  private final Arbiter arbiter;
  private final Answers answers;
  private final Proxies trusted;
  private final boolean encodedSlashes;
  private final Duration patience;
  private final Upstream upstream;

  /** Stands before {@code upstream}. */
  public Gateway(Vertx vertx, Arbiter arbiter, Settings settings, URI upstream) {
    this(vertx, arbiter, settings, upstream, PATIENCE);
  }

  Gateway(Vertx vertx, Arbiter arbiter, Settings settings, URI upstream, Duration patience) {
    this.vertx = vertx;
    this.arbiter = arbiter;
    this.answers = new Answers(settings.headers());
    this.trusted = new Proxies(settings.trustedProxies());
    this.encodedSlashes = settings.edge().encodedSlashes();
    this.patience = patience;
    this.upstream = new Upstream(vertx, upstream, patience);
  }

  @Override
  public void handle(HttpServerRequest request) {
    request.pause();
    request.response().endHandler(answered -> Refusals.discard(request));
    if (Inbound.isOfNoPath(request)) { // a ping, which costs nobody anything
      Replies.send(request, new Answer(204, List.of(), ""));
      return;
    }
    try {
      Inbound inbound = Inbound.of(request, trusted, encodedSlashes);
      Later.answer(request, arbiter.decide(inbound), ruling -> obey(inbound, ruling));
    } catch (MalformedRequestException e) {
      Replies.sendMalformed(request, e);
    }
  }

  private void obey(Inbound inbound, Ruling ruling) {
    HttpServerRequest request = inbound.request();
    if (!ruling.allowed()) {
      Replies.send(request, answers.refusal(ruling, request.getHeader("Accept")));
      return;
    }
    Exchange exchange = new Exchange(vertx, upstream, patience, inbound, answers.headers(ruling));
    Duration delay = ruling.delay();
    if (delay.isZero()) {
      exchange.begin();
    } else {
      hold(request, delay, exchange);
    }
  }

  /** Until its turn has come, or the client has gone. */
  private void hold(HttpServerRequest request, Duration delay, Exchange exchange) {
    long timer = vertx.setTimer(Millis.of(delay), turn -> exchange.begin());
    request.response().closeHandler(gone -> vertx.cancelTimer(timer));
  }
}
