package io.weir.server.service;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Corrections;
import io.weir.arbiter.Arbiter;
import io.weir.rules.Bucket;
import io.weir.rules.Claim;
import io.weir.rules.Held;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Json;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.Bodies;
import io.weir.server.http.Callers;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
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
final class Afterwards {
  static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);
  static final Duration LONGEST_TIME_TO_LIVE = Duration.ofHours(1);

  private static final Set<String> RESERVE = Set.of("attributes", "cost", "ttl_seconds");
  private static final Set<String> COMMIT = Set.of("reservation", "cost");
  private static final Set<String> REFUND = Set.of("reservation", "attributes", "cost");

  private final Bodies bodies;
  private final Arbiter arbiter;
  private final Findings findings;
  private final Reservations reservations;
  private final Callers callers;
  private final Paths paths;

  Afterwards(
      Bodies bodies,
      Arbiter arbiter,
      Findings findings,
      Reservations reservations,
      Callers callers,
      Paths paths) {
    this.bodies = bodies;
    this.arbiter = arbiter;
    this.findings = findings;
    this.reservations = reservations;
    this.callers = callers;
    this.paths = paths;
  }

  void reserve(HttpServerRequest request) {
    if (isOfPage(request)) {
      return;
    }
    read(
        request,
        RESERVE,
        form -> reserve(request, paths.question(form.asked("the body")), timeToLive(form)));
  }

  private void read(HttpServerRequest request, Set<String> fields, Consumer<Form> then) {
    bodies.read(request, Checks.LONGEST, body -> then.accept(Form.read(body, fields)));
  }

  /** Refuses a request of a web page; returns false if it is another request. */
  private boolean isOfPage(HttpServerRequest request) {
    if (callers.mayReserve(request)) {
      return false;
    }
    Replies.send(
        request,
        Replies.error(403, "forbidden", "reservations that a web page makes need a token"));
    return true;
  }

  private static Duration timeToLive(Form form) {
    Long seconds = form.ttlSeconds();
    if (seconds == null) {
      return TIME_TO_LIVE;
    }
    if (seconds < 1 || seconds > LONGEST_TIME_TO_LIVE.toSeconds()) {
      throw new MalformedRequestException(
          "'ttl_seconds' must be from 1 to " + LONGEST_TIME_TO_LIVE.toSeconds());
    }
    return Duration.ofSeconds(seconds);
  }

  private void reserve(HttpServerRequest request, Question question, Duration timeToLive) {
    long promised = Reservations.bytes(question.attributes());
    if (!reservations.promise(promised)) {
      Replies.send(
          request,
          Replies.error(
              503,
              "too_many_reservations",
              "there are too many open reservations; commit or refund them, or let them run out"));
      return;
    }
    CompletionStage<Held> holding = hold(question, promised);
    CompletionStage<Answer> answer =
        holding
            .whenComplete(
                (held, failure) -> {
                  if (failure != null || !held.ruling().allowed()) {
                    reservations.giveUp(promised);
                  }
                })
            .thenApply(held -> reserved(held, question, promised, timeToLive));
    Later.answer(
        request,
        answer,
        told -> {
          findings.decided(request, holding.toCompletableFuture().join().ruling());
          Replies.send(request, told);
        });
  }

  private CompletionStage<Held> hold(Question question, long promised) {
    try {
      return arbiter.hold(question);
    } catch (RuntimeException e) {
      reservations.giveUp(promised);
      throw e;
    }
  }

  private Answer reserved(Held held, Question question, long promised, Duration timeToLive) {
    Json body = new Json().open();
    if (held.ruling().allowed()) {
      long bytes = Reservations.bytes(question.attributes(), held.ruling());
      body.text(
          "reservation", reservations.add(held, promised, bytes, question.cost(), timeToLive));
      body.number("ttl_seconds", timeToLive.toSeconds());
    } else {
      body.nothing("reservation");
    }
    return findings.answer(held.ruling(), body);
  }

  void commit(HttpServerRequest request) {
    if (isOfPage(request)) {
      return;
    }
    read(
        request,
        COMMIT,
        form -> {
          String id = form.reservation();
          Long cost = form.cost();
          if (id == null || cost == null) {
            throw new MalformedRequestException(
                "'" + (id == null ? "reservation" : "cost") + "' is missing in the body");
          }
          settle(request, id, cost);
        });
  }

  /** Gives permits back without a reservation, which only authorized callers may do. */
  void refund(HttpServerRequest request) {
    if (!callers.mayGiveBack(request)) {
      Replies.send(
          request,
          Replies.error(
              403,
              "forbidden",
              "refunds from other machines need a token or a client" + " certificate"));
      return;
    }
    read(
        request,
        REFUND,
        form -> {
          String id = form.reservation();
          if (id == null) {
            giveBack(request, paths.question(form.asked("the body; or name a 'reservation'")));
          } else if (form.hasAttributes() || form.cost() != null) {
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
      Later.answer(
          request,
          reservations.settle(open, cost),
          done -> Replies.send(request, settled(id, open.cost(), cost)));
    } else {
      Replies.send(request, unsettled(request, found));
    }
  }

  private static Answer unsettled(HttpServerRequest request, Reservations.Found found) {
    if (found instanceof Reservations.Found.Begun begun) {
      return Replies.malformed(
          request,
          "this reservation is settled in part, at a cost of " + begun.cost() + "; repeat that");
    }
    if (found instanceof Reservations.Found.BeingSettled) {
      return Replies.soon(
          Replies.error(
              503,
              "reservation_being_settled",
              "another commit or refund of this reservation is in progress; retry later to get"
                  + " its result"));
    }
    return found instanceof Reservations.Found.Settled
        ? Replies.error(
            404,
            "reservation_settled",
            "this reservation was committed or refunded before; nothing has changed")
        : Replies.error(
            404,
            "reservation_unknown",
            "there is no such reservation here: it has run out, and stays charged, or another"
                + " node made it");
  }

  private static Answer settled(String id, long reserved, long cost) {
    return Findings.told(
        new Json()
            .open()
            .text("reservation", id)
            .number("reserved", reserved)
            .number("cost", cost)
            .close());
  }

  /** Gives back what a check with the same attributes and cost would take. */
  private void giveBack(HttpServerRequest request, Question question) {
    List<CompletionStage<Void>> grants = new ArrayList<>();
    Set<String> rules = new LinkedHashSet<>();
    for (Claim claim : arbiter.rules().claims(question)) {
      for (Bucket bucket : arbiter.buckets(claim.rule(), question)) {
        boolean isCharged =
            bucket.meter().id().equals(claim.meter().id()) && bucket.key().equals(claim.key());
        if (isCharged) {
          grants.add(bucket.grant(claim.cost()));
          rules.add(claim.rule().name());
        }
      }
    }
    Json body = new Json().open().number("cost", question.cost()).open("rules", '[');
    rules.forEach(body::text);
    body.end(']').close();
    Later.answer(
        request, Corrections.once(grants), done -> Replies.send(request, Findings.told(body)));
  }
}
