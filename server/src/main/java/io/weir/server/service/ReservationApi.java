package io.weir.server.service;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Corrections;
import io.weir.decision.DecisionEngine;
import io.weir.rules.HeldCharge;
import io.weir.rules.RuleBucket;
import io.weir.rules.engine.PendingCharge;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.Bodies;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.RefundAuthorization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * {@code /v1/reserve}, {@code /v1/commit} and {@code /v1/refund}: costs that are known only
 * afterwards.
 */
final class ReservationApi {
  static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);
  static final Duration MAX_TIME_TO_LIVE = Duration.ofHours(1);

  private static final Set<String> RESERVE = Set.of("attributes", "cost", "ttl_seconds");
  private static final Set<String> COMMIT = Set.of("reservation", "cost");
  private static final Set<String> REFUND = Set.of("reservation", "attributes", "cost");

  private final Bodies bodies;
  private final DecisionEngine decisionEngine;
  private final CheckResponseWriter checkResponseWriter;
  private final Reservations reservations;
  private final RefundAuthorization refundAuthorization;
  private final PathNormalizer pathNormalizer;

  ReservationApi(
      Bodies bodies,
      DecisionEngine decisionEngine,
      CheckResponseWriter checkResponseWriter,
      Reservations reservations,
      RefundAuthorization refundAuthorization,
      PathNormalizer pathNormalizer) {
    this.bodies = bodies;
    this.decisionEngine = decisionEngine;
    this.checkResponseWriter = checkResponseWriter;
    this.reservations = reservations;
    this.refundAuthorization = refundAuthorization;
    this.pathNormalizer = pathNormalizer;
  }

  void reserve(HttpServerRequest request) {
    if (isOfPage(request)) {
      return;
    }
    read(
        request,
        RESERVE,
        serviceRequestBody ->
            reserve(
                request,
                pathNormalizer.normalize(serviceRequestBody.toCheckRequest("the body")),
                timeToLive(serviceRequestBody)));
  }

  private void read(
      HttpServerRequest request, Set<String> fields, Consumer<ServiceRequestBody> then) {
    bodies.read(
        request,
        CheckApi.MAX_BODY_BYTES,
        body -> then.accept(ServiceRequestBody.read(body, fields)));
  }

  /** Refuses a request of a web page; returns false if it is another request. */
  private boolean isOfPage(HttpServerRequest request) {
    if (refundAuthorization.mayReserve(request)) {
      return false;
    }
    HttpResponses.send(
        request,
        HttpResponses.error(403, "forbidden", "reservations that a web page makes need a token"));
    return true;
  }

  private static Duration timeToLive(ServiceRequestBody serviceRequestBody) {
    Long seconds = serviceRequestBody.ttlSeconds();
    if (seconds == null) {
      return TIME_TO_LIVE;
    }
    if (seconds < 1 || seconds > MAX_TIME_TO_LIVE.toSeconds()) {
      throw new MalformedRequestException(
          "'ttl_seconds' must be from 1 to " + MAX_TIME_TO_LIVE.toSeconds());
    }
    return Duration.ofSeconds(seconds);
  }

  private void reserve(HttpServerRequest request, CheckRequest checkRequest, Duration timeToLive) {
    long promised = Reservations.bytes(checkRequest.attributes());
    if (!reservations.promise(promised)) {
      HttpResponses.send(
          request,
          HttpResponses.error(
              503,
              "too_many_reservations",
              "there are too many open reservations; commit or refund them, or let them run out"));
      return;
    }
    CompletionStage<HeldCharge> holding = hold(checkRequest, promised);
    CompletionStage<DirectResponse> directResponse =
        holding
            .whenComplete(
                (heldCharge, failure) -> {
                  if (failure != null || !heldCharge.requestDecision().allowed()) {
                    reservations.giveUp(promised);
                  }
                })
            .thenApply(heldCharge -> reserved(heldCharge, checkRequest, promised, timeToLive));
    EventLoops.respond(
        request,
        directResponse,
        response -> {
          checkResponseWriter.decided(
              request, holding.toCompletableFuture().join().requestDecision());
          HttpResponses.send(request, response);
        });
  }

  private CompletionStage<HeldCharge> hold(CheckRequest checkRequest, long promised) {
    try {
      return decisionEngine.hold(checkRequest);
    } catch (RuntimeException e) {
      reservations.giveUp(promised);
      throw e;
    }
  }

  private DirectResponse reserved(
      HeldCharge heldCharge, CheckRequest checkRequest, long promised, Duration timeToLive) {
    JsonWriter body = new JsonWriter().open();
    if (heldCharge.requestDecision().allowed()) {
      long bytes = Reservations.bytes(checkRequest.attributes(), heldCharge.requestDecision());
      body.text(
          "reservation",
          reservations.add(heldCharge, promised, bytes, checkRequest.cost(), timeToLive));
      body.number("ttl_seconds", timeToLive.toSeconds());
    } else {
      body.nothing("reservation");
    }
    return checkResponseWriter.response(heldCharge.requestDecision(), body);
  }

  void commit(HttpServerRequest request) {
    if (isOfPage(request)) {
      return;
    }
    read(
        request,
        COMMIT,
        serviceRequestBody -> {
          String id = serviceRequestBody.reservation();
          Long cost = serviceRequestBody.cost();
          if (id == null || cost == null) {
            throw new MalformedRequestException(
                "'" + (id == null ? "reservation" : "cost") + "' is missing in the body");
          }
          settle(request, id, cost);
        });
  }

  /** Gives permits back without a reservation, which only authorized callers may do. */
  void refund(HttpServerRequest request) {
    if (!refundAuthorization.mayRefund(request)) {
      HttpResponses.send(
          request,
          HttpResponses.error(
              403,
              "forbidden",
              "refunds from other machines need a token or a client" + " certificate"));
      return;
    }
    read(
        request,
        REFUND,
        serviceRequestBody -> {
          String id = serviceRequestBody.reservation();
          if (id == null) {
            giveBack(
                request,
                pathNormalizer.normalize(
                    serviceRequestBody.toCheckRequest("the body; or name a 'reservation'")));
          } else if (serviceRequestBody.hasAttributes() || serviceRequestBody.cost() != null) {
            throw new MalformedRequestException(
                "a refund has a 'reservation', which comes back whole, or 'attributes' and 'cost'");
          } else {
            settle(request, id, 0);
          }
        });
  }

  private void settle(HttpServerRequest request, String id, long cost) {
    Reservations.Found found = reservations.take(id, cost);
    if (found instanceof Reservations.Found.Open open) {
      EventLoops.respond(
          request,
          reservations.settle(open, cost),
          done -> HttpResponses.send(request, settled(id, open.cost(), cost)));
    } else {
      HttpResponses.send(request, unsettled(request, found));
    }
  }

  private static DirectResponse unsettled(HttpServerRequest request, Reservations.Found found) {
    if (found instanceof Reservations.Found.Begun begun) {
      return HttpResponses.malformed(
          request,
          "this reservation is settled in part, at a cost of " + begun.cost() + "; repeat that");
    }
    if (found instanceof Reservations.Found.BeingSettled) {
      return HttpResponses.soon(
          HttpResponses.error(
              503,
              "reservation_being_settled",
              "another commit or refund of this reservation is in progress; retry later to get"
                  + " its result"));
    }
    return found instanceof Reservations.Found.Settled
        ? HttpResponses.error(
            404,
            "reservation_settled",
            "this reservation was committed or refunded before; nothing has changed")
        : HttpResponses.error(
            404,
            "reservation_unknown",
            "there is no such reservation here: it has run out, and stays charged, or another"
                + " node made it");
  }

  private static DirectResponse settled(String id, long reserved, long cost) {
    return CheckResponseWriter.ok(
        new JsonWriter()
            .open()
            .text("reservation", id)
            .number("reserved", reserved)
            .number("cost", cost)
            .close());
  }

  /** Refunds what a check with the same attributes and cost would take. */
  private void giveBack(HttpServerRequest request, CheckRequest checkRequest) {
    List<CompletionStage<Void>> grants = new ArrayList<>();
    Set<String> rules = new LinkedHashSet<>();
    for (PendingCharge charge : decisionEngine.rules().charges(checkRequest)) {
      for (RuleBucket ruleBucket : decisionEngine.buckets(charge.rule(), checkRequest)) {
        boolean isCharged =
            ruleBucket.limitGroup().id().equals(charge.limitGroup().id())
                && ruleBucket.key().equals(charge.key());
        if (isCharged) {
          grants.add(ruleBucket.grant(charge.cost()));
          rules.add(charge.rule().name());
        }
      }
    }
    JsonWriter body =
        new JsonWriter().open().number("cost", checkRequest.cost()).open("rules", '[');
    rules.forEach(body::text);
    body.end(']').close();
    EventLoops.respond(
        request,
        Corrections.once(grants),
        done -> HttpResponses.send(request, CheckResponseWriter.ok(body)));
  }
}
