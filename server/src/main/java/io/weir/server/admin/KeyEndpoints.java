package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.DecisionEngine;
import io.weir.insight.CallerBuckets;
import io.weir.insight.CallerKey;
import io.weir.insight.Insights;
import io.weir.insight.TopCallers;
import io.weir.rules.LimitGroup;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.RuleBucket;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Query;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.CountParser;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
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
final class KeyEndpoints {
  private static final int MAX_PARAMETERS = 64;
  private static final long MAX_PERMITS = 1L << 31;

  private final DecisionEngine decisionEngine;
  private final Insights insights;
  private final AuditLog audit;
  private final KeyReveal keyReveal;

  KeyEndpoints(
      DecisionEngine decisionEngine, Insights insights, AuditLog audit, KeyReveal keyReveal) {
    this.decisionEngine = decisionEngine;
    this.insights = insights;
    this.audit = audit;
    this.keyReveal = keyReveal;
  }

  /** The status that the next request would find. */
  void look(HttpServerRequest request) {
    withTarget(
        request,
        parameters(request),
        target ->
            EventLoops.respond(
                request, standings(target), keyState -> show(request, target, keyState)));
  }

  /** Resets it to full. */
  void reset(HttpServerRequest request) {
    withTarget(
        request,
        parameters(request),
        target -> change(request, target, "reset", RuleBucket::reset));
  }

  /** Gives permits back. */
  void grant(HttpServerRequest request) {
    Map<String, String> parameters = parameters(request);
    String text = parameters.get("permits");
    if (text == null) {
      throw new MalformedRequestException("'permits' is missing: how many to give back");
    }
    long permits = CountParser.parse(text, "'permits'");
    if (permits < 1 || permits > MAX_PERMITS) {
      throw new MalformedRequestException("'permits' must be from 1 to " + MAX_PERMITS);
    }
    withTarget(
        request,
        parameters,
        target ->
            change(
                request, target, "grant of " + permits, ruleBucket -> ruleBucket.grant(permits)));
  }

  private CompletionStage<KeyState> standings(Target target) {
    RuleLimits ruleLimits = RuleLimits.of(target.rule, decisionEngine);
    return KeyState.of(
        ruleLimits, CallerBuckets.of(target.rule, target.known, target.seen, target.ruleBuckets));
  }

  private void change(
      HttpServerRequest request,
      Target target,
      String what,
      Function<RuleBucket, CompletionStage<Void>> change) {
    List<CompletableFuture<Void>> changes = new ArrayList<>();
    for (RuleBucket ruleBucket : target.ruleBuckets) {
      changes.add(change.apply(ruleBucket).toCompletableFuture());
    }
    CompletionStage<KeyState> done =
        CompletableFuture.allOf(changes.toArray(new CompletableFuture<?>[0]))
            .thenCompose(any -> standings(target))
            .whenComplete(
                (keyState, failure) ->
                    audit(request, target, what, failure != null || keyState.isAway()));
    EventLoops.respond(request, done, keyState -> show(request, target, keyState));
  }

  /** Logs a change. If the store was unavailable, its outcome is unknown. */
  private void audit(HttpServerRequest request, Target target, String what, boolean isInDoubt) {
    audit.changed(isInDoubt ? what + ", in doubt" : what, target.rule, target.callerKey, request);
  }

  private static Map<String, String> parameters(HttpServerRequest request) {
    String query = request.query();
    return Query.parameters(query == null ? "" : query, MAX_PARAMETERS);
  }

  private void withTarget(
      HttpServerRequest request, Map<String, String> parameters, Consumer<Target> then) {
    Boolean isRevealed = keyReveal.isRequested(request, parameters.get(KeyReveal.PARAMETER));
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
    InsightResponses.orBusy(
        request,
        insights.ask(() -> Found.of(insights.topCallers(), label, id)),
        found -> {
          Optional<Target> target = found.flatMap(caller -> byKey(rule, caller, isRevealed));
          if (target.isEmpty()) {
            HttpResponses.send(request, unknown());
          } else {
            keyReveal.note(isRevealed, List.of(target.get().callerKey), "rule " + label, request);
            then.accept(target.get());
          }
        });
  }

  static DirectResponse unknown() {
    return HttpResponses.error(
        404,
        "unknown_caller",
        "no caller of this rule is known by this id, or not any more; /v1/top lists ids");
  }

  /** The rule's label in metrics. */
  private String label(Rule rule) {
    String label = decisionEngine.decisionCounters().label(rule, decisionEngine::rules);
    return label == null ? rule.name() : label;
  }

  private Rule named(Map<String, String> parameters) {
    String domain = parameters.get("domain");
    return domain == null
        ? RuleFinder.labelled(parameters.get("rule"), decisionEngine)
        : new RuleFinder(decisionEngine.rules()).find(parameters.get("rule"), domain);
  }

  private void byAttributes(
      HttpServerRequest request, Map<String, String> parameters, Consumer<Target> then) {
    Rule rule =
        new RuleFinder(decisionEngine.rules())
            .find(parameters.get("rule"), parameters.get("domain"));
    Request attributes = name -> RuleFinder.RESERVED.contains(name) ? null : parameters.get(name);
    List<RuleBucket> ruleBuckets = decisionEngine.buckets(rule, attributes);
    String text = ruleBuckets.isEmpty() ? "" : ruleBuckets.get(0).key();
    String label = label(rule);
    CallerKey callerKey = insights.topCallers().named(rule, label, text);
    InsightResponses.orBusy(
        request,
        insights.ask(() -> insights.topCallers().limitsOf(label, callerKey)),
        seen ->
            then.accept(
                new Target(
                    rule,
                    ruleBuckets,
                    decisionEngine.applying(rule, attributes),
                    seen,
                    callerKey,
                    text)));
  }

  private Optional<Target> byKey(Rule rule, Found caller, boolean isRevealed) {
    CallerKey callerKey = caller.callerKey;
    return callerKey.isWhole()
        ? Optional.of(
            new Target(
                rule,
                decisionEngine.buckets(rule, callerKey.kept()),
                decisionEngine.applying(rule, callerKey.kept()),
                caller.seen,
                callerKey,
                KeyReveal.shown(callerKey, isRevealed)))
        : Optional.empty();
  }

  /** A known caller, and the limits under which it was seen. */
  private record Found(CallerKey callerKey, List<String> seen) {
    static Optional<Found> of(TopCallers topCallers, String label, String id) {
      return topCallers
          .find(label, id)
          .map(callerKey -> new Found(callerKey, topCallers.limitsOf(label, callerKey)));
    }
  }

  private static void show(HttpServerRequest request, Target target, KeyState keyState) {
    if (keyState.isAway()) {
      HttpResponses.send(
          request, HttpResponses.error(503, "store_unavailable", "the store is unavailable"));
      return;
    }
    HttpResponses.send(request, AdminResponses.json(keyState.json(target.shown)));
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
      List<RuleBucket> ruleBuckets,
      Optional<LimitGroup> known,
      List<String> seen,
      CallerKey callerKey,
      String shown) {}
}
