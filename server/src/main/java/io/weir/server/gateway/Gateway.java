package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.TrustOptions;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Delays;
import io.weir.rules.Held;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.http.Proxies;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Forwarding;
import io.weir.server.Settings;
import io.weir.server.access.AccessEntry;
import io.weir.server.access.AccessLog;
import io.weir.server.door.Porter;
import io.weir.server.http.Authorities;
import io.weir.server.http.HeapShare;
import io.weir.server.http.Later;
import io.weir.server.http.Outflow;
import io.weir.server.http.Replies;
import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;
import io.weir.server.wire.Name;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request is allowed, then forwards it. Thread-safe; does not block, except for
 * the constructor, which reads files.
 *
 * <p>The decision is made before the body is read and before anything is sent upstream. A refused
 * request is answered at once; a delayed one waits here.
 */
public final class Gateway implements Handler<HttpServerRequest> {
  private final GatewayTraffic<Failure> traffic = Failure.traffic();
  private final Arbiter arbiter;
  private final Answers answers;
  private final HeadReader reader;
  private final Terms terms;
  private final Routes routes;
  private final Delays delays;
  private final Turns turns;
  private final ThreadLocal<Worker> workers;

  /**
   * Forwards to the servers of the settings.
   *
   * @param loops the number of event loops that share the work
   * @throws io.weir.server.http.UnusableTlsException if the file of certificate authorities cannot
   *     be used
   */
  public Gateway(Vertx vertx, Arbiter arbiter, Settings settings, int loops) {
    this(vertx, arbiter, settings, loops, InetAddress::getAllByName, Routes.OUT);
  }

  /**
   * {@link #Gateway(Vertx, Arbiter, Settings, int)}.
   *
   * @param trace receives the events of requests; null for no tracing
   * @param access the access log; null for none
   */
  public Gateway(
      Vertx vertx,
      Arbiter arbiter,
      Settings settings,
      int loops,
      @Nullable RequestTrace trace,
      @Nullable AccessLog access) {
    this(vertx, arbiter, settings, loops, InetAddress::getAllByName, Routes.OUT, trace, access);
  }

  /**
   * {@link #Gateway(Vertx, Arbiter, Settings, int)}, for tests.
   *
   * @param lookup resolves host names
   * @param out how long a failing server is ejected
   */
  Gateway(
      Vertx vertx,
      Arbiter arbiter,
      Settings settings,
      int loops,
      Name.Lookup lookup,
      Duration out) {
    this(vertx, arbiter, settings, loops, lookup, out, null, null);
  }

  private Gateway(
      Vertx vertx,
      Arbiter arbiter,
      Settings settings,
      int loops,
      Name.Lookup lookup,
      Duration out,
      @Nullable RequestTrace trace,
      @Nullable AccessLog access) {
    Forwarding forwarding = settings.forwarding();
    Optional<TrustOptions> ca = forwarding.ca().map(file -> Authorities.wellKnownAnd(vertx, file));
    Routes all = new Routes(forwarding, out, traffic);
    this.arbiter = arbiter;
    this.answers = new Answers(settings.headers());
    this.reader =
        new HeadReader(new Proxies(settings.trustedProxies()), settings.edge().encodedSlashes());
    this.terms = Terms.of(forwarding, arbiter::rules, traffic, trace, access);
    this.routes = all;
    this.delays = new Delays(arbiter);
    this.turns = new Turns(vertx, HeapShare.HELD_REQUESTS.kept(), traffic);
    this.workers =
        ThreadLocal.withInitial(() -> new Worker(vertx, all, forwarding, ca, loops, lookup));
  }

  /** The counters of this gateway. */
  public GatewayTraffic<?> traffic() {
    return traffic;
  }

  /** A responder that refuses requests before dispatch where possible. */
  public Porter porter() {
    return new Turnstile(arbiter, reader, answers, terms.cors(), delays, traffic, terms.access());
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (RequestBody.isPossible(request)) {
      request.pause();
    }
    Outflow.whenRoom(request, 0, () -> serve(request));
  }

  private void serve(HttpServerRequest request) {
    if (Inbound.isOfNoPath(request)) { // OPTIONS *, a ping that is not limited
      answered(request, 204);
      Replies.send(request, new Answer(204, List.of(), ""));
      return;
    }
    Turnstile.Judged judged = Turnstile.judged(request);
    if (judged != null) {
      Inbound inbound = new Inbound(request, judged.head());
      Later.answer(
          request,
          judged.stage(),
          ruling -> obey(inbound, ruling, null),
          status -> answered(request, status));
      return;
    }
    try {
      Head head = reader.read(request);
      Inbound inbound = new Inbound(request, head);
      if (delays.arePossible()) {
        Later.answer(
            request,
            arbiter.hold(head),
            held -> obey(inbound, held.ruling(), held),
            status -> answered(request, status));
      } else {
        Later.answer(
            request,
            arbiter.decide(head),
            ruling -> obey(inbound, ruling, null),
            status -> answered(request, status));
      }
    } catch (MalformedRequestException e) {
      answered(request, 400);
      Replies.sendMalformed(request, e);
    }
  }

  /** Counts a request that was not sent to a server. */
  private void answered(HttpServerRequest request, int status) {
    traffic.unasked().add(request.response().closed() ? StatusClass.NONE : StatusClass.of(status));
  }

  private void obey(Inbound inbound, Ruling ruling, @Nullable Held held) {
    HttpServerRequest request = inbound.request();
    log(inbound, ruling);
    if (!ruling.allowed()) {
      refuse(request, answers.refusal(ruling, request.getHeader(HttpHeaders.ACCEPT)));
      return;
    }
    List<Header> limits = answers.headers(ruling);
    Routes.Group group = routes.find(inbound);
    if (group == null) {
      List<Header> all = terms.cors().with(limits, request.getHeader(HttpHeaders.ORIGIN));
      traffic.errors().add(Failure.NO_ROUTE);
      answered(request, Failure.NO_ROUTE.status());
      Replies.send(request, Failure.NO_ROUTE.answer(request), all);
      return;
    }
    RequestTrace trace = terms.trace();
    String route = group.route();
    if (trace != null && route != null) {
      trace.routed(request, route);
    }
    Exchange exchange = new Exchange(terms, workers.get(), group, inbound, limits);
    if (held == null || ruling.delay().isZero()) {
      exchange.begin();
    } else if (!turns.await(request, held, exchange::begin)) {
      exchange.refuse(Failure.BUSY);
    }
  }

  private void log(Inbound inbound, Ruling ruling) {
    AccessLog access = terms.access();
    AccessEntry entry = access == null ? null : access.of(inbound.request());
    if (entry != null) {
      Turnstile.describe(entry, inbound.head(), ruling);
    }
  }

  private void refuse(HttpServerRequest request, Answer refusal) {
    answered(request, refusal.status());
    String origin = terms.cors().isOn() ? request.getHeader(HttpHeaders.ORIGIN) : null;
    if (origin == null) {
      Replies.send(request, refusal);
      return;
    }
    List<Header> all = terms.cors().with(refusal.headers(), origin);
    Replies.send(request, new Answer(refusal.status(), all, refusal.body()));
  }
}
