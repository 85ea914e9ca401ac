package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.arbiter.Arbiter;
import io.weir.rules.Bucket;
import io.weir.rules.Meter;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Query;
import io.weir.rules.match.MalformedRequestException;
import io.weir.seeing.Callers;
import io.weir.seeing.Holding;
import io.weir.seeing.Key;
import io.weir.seeing.Watch;
import io.weir.server.http.Counts;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * {@code /v1/keys}: the limit status of one caller under one rule, and manual changes of it. The
 * caller is identified by the attributes in the rule's {@code per}, or by the id from a ranking.
 *
 * <p>A caller has a bucket for the rule's own limits and one for each of its overrides. A status
 * shows those that apply to it, as far as that is known. A change is made to all of them; it has no
 * effect on buckets with nothing spent.
 */
final class KeyPages {
  private static final int MOST_PARAMETERS = 64;
  private static final long MOST_PERMITS = 1L << 31;

  private final Arbiter arbiter;
  private final Watch watch;
  private final AuditLog audit;
  private final Reveal reveal;

  KeyPages(Arbiter arbiter, Watch watch, AuditLog audit, Reveal reveal) {
    this.arbiter = arbiter;
    this.watch = watch;
    this.audit = audit;
    this.reveal = reveal;
  }

  /** The status that the next request would find. */
  void look(HttpServerRequest request) {
    withTarget(
        request,
        parameters(request),
        target ->
            Later.answer(
                request, standings(target), standings -> show(request, target, standings)));
  }

  /** Resets it to full. */
  void reset(HttpServerRequest request) {
    withTarget(
        request, parameters(request), target -> change(request, target, "reset", Bucket::reset));
  }

  /** Gives permits back. */
  void grant(HttpServerRequest request) {
    Map<String, String> parameters = parameters(request);
    String text = parameters.get("permits");
    if (text == null) {
      throw new MalformedRequestException("'permits' is missing: how many to give back");
    }
    long permits = Counts.parse(text, "'permits'");
    if (permits < 1 || permits > MOST_PERMITS) {
      throw new MalformedRequestException("'permits' must be from 1 to " + MOST_PERMITS);
    }
    withTarget(
        request,
        parameters,
        target -> change(request, target, "grant of " + permits, bucket -> bucket.grant(permits)));
  }

  private CompletionStage<Standings> standings(Target target) {
    Limits limits = Limits.of(target.rule, arbiter);
    return Standings.of(limits, Holding.of(target.rule, target.known, target.seen, target.buckets));
  }

  private void change(
      HttpServerRequest request,
      Target target,
      String what,
      Function<Bucket, CompletionStage<Void>> change) {
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    for (Bucket bucket : target.buckets) {
      changes.add(change.apply(bucket).toCompletableFuture());
    }
    CompletionStage<Standings> done =
        CompletableFuture.allOf(changes.toArray(new CompletableFuture<?>[0]))
            .thenCompose(any -> standings(target))
            .whenComplete(
                (standings, failure) ->
                    audit(request, target, what, failure != null || standings.isAway()));
    Later.answer(request, done, standings -> show(request, target, standings));
  }

  /** Logs a change. If the store was unavailable, its outcome is unknown. */
  private void audit(HttpServerRequest request, Target target, String what, boolean isInDoubt) {
    audit.changed(isInDoubt ? what + ", in doubt" : what, target.rule, target.key, request);
  }

  private static Map<String, String> parameters(HttpServerRequest request) {
    String query = request.query();
    return Query.parameters(query == null ? "" : query, MOST_PARAMETERS);
  }

  private void withTarget(
      HttpServerRequest request, Map<String, String> parameters, Consumer<Target> then) {
    Boolean isRevealed = reveal.isAsked(request, parameters.get(Reveal.PARAMETER));
    if (isRevealed == null) {
      return;
    }
    String id = parameters.get("id");
    if (id == null) {
      byAttributes(request, parameters, then);
      return;
    }
    Rule rule = named(parameters);
    String label = label(rule);
    Asked.orBusy(
        request,
        watch.watchman().ask(() -> Found.of(watch.callers(), label, id)),
        found -> {
          Optional<Target> target = found.flatMap(caller -> byKey(rule, caller, isRevealed));
          if (target.isEmpty()) {
            Replies.send(request, unknown());
          } else {
            reveal.note(isRevealed, List.of(target.get().key), "rule " + label, request);
            then.accept(target.get());
          }
        });
  }

  static Answer unknown() {
    return Replies.error(
        404,
        "unknown_caller",
        "no caller of this rule is known by this id, or not any more; /v1/top lists ids");
  }

  /** The rule's label in metrics. */
  private String label(Rule rule) {
    String label = arbiter.tally().label(rule, arbiter::rules);
    return label == null ? rule.name() : label;
  }

  private Rule named(Map<String, String> parameters) {
    String domain = parameters.get("domain");
    return domain == null
        ? RuleFinder.labelled(parameters.get("rule"), arbiter)
        : new RuleFinder(arbiter.rules()).find(parameters.get("rule"), domain);
  }

  private void byAttributes(
      HttpServerRequest request, Map<String, String> parameters, Consumer<Target> then) {
    Rule rule =
        new RuleFinder(arbiter.rules()).find(parameters.get("rule"), parameters.get("domain"));
    Request who = name -> RuleFinder.RESERVED.contains(name) ? null : parameters.get(name);
    List<Bucket> buckets = arbiter.buckets(rule, who);
    String text = buckets.isEmpty() ? "" : buckets.get(0).key();
    String label = label(rule);
    Key key = watch.callers().named(rule, label, text);
    Asked.orBusy(
        request,
        watch.watchman().ask(() -> watch.callers().limitsOf(label, key)),
        seen ->
            then.accept(new Target(rule, buckets, arbiter.applying(rule, who), seen, key, text)));
  }

  private Optional<Target> byKey(Rule rule, Found caller, boolean isRevealed) {
    Key key = caller.key;
    return key.isWhole()
        ? Optional.of(
            new Target(
                rule,
                arbiter.buckets(rule, key.kept()),
                arbiter.applying(rule, key.kept()),
                caller.seen,
                key,
                Reveal.shown(key, isRevealed)))
        : Optional.empty();
  }

  /** A known caller, and the limits under which it was seen. */
  private record Found(Key key, List<String> seen) {
    static Optional<Found> of(Callers callers, String label, String id) {
      return callers.find(label, id).map(key -> new Found(key, callers.limitsOf(label, key)));
    }
  }

  private static void show(HttpServerRequest request, Target target, Standings standings) {
    if (standings.isAway()) {
      Replies.send(request, Replies.error(503, "store_unavailable", "the store is unavailable"));
      return;
    }
    Pages.send(request, Pages.json(standings.json(target.shown)));
  }

  /**
   * The buckets of one caller under one rule.
   *
   * @param known which of them apply to the caller, by its attributes
   * @param seen which of them applied to its recorded requests
   * @param shown the key, as it is to be shown
   */
  private record Target(
      Rule rule,
      List<Bucket> buckets,
      Optional<Meter> known,
      List<String> seen,
      Key key,
      String shown) {}
}
