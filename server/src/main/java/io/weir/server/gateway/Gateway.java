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
 * Limits a request, then forwards it.
 *
 * <p>The decision falls before a byte goes upstream and before the body is read. A refused request
 * is answered at once; one that has to wait for its turn is held here.
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
   * Stands before the servers that the settings name.
   *
   * @param loops how many event loops share the work
   * @throws io.weir.server.http.UnusableTlsException if the file of authorities cannot be used
   */
  public Gateway(Vertx vertx, Arbiter arbiter, Settings settings, int loops) {
    this(vertx, arbiter, settings, loops, InetAddress::getAllByName, Routes.OUT);
  }

  /**
   * {@link #Gateway(Vertx, Arbiter, Settings, int)}.
   *
   * @param trace to whom requests are reported; null: nobody follows them
   * @param access where they are logged; null: nowhere
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
   * The same, for tests.
   *
   * @param lookup how servers are found that are known by names
   * @param out how long a server is left out when it fails
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

  /** What it counts. */
  public GatewayTraffic<?> traffic() {
    return traffic;
  }

  /** Refuses at the door what can be refused there. */
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
    if (Inbound.isOfNoPath(request)) { // a ping, which costs nobody anything
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

  /** Counts a request for which no server was asked. */
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
