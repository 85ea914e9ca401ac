package io.weir.spring.actuator;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.decision.CredentialMasking;
import io.weir.decision.DecisionEngine;
import io.weir.insight.CallerBuckets;
import io.weir.insight.CallerKey;
import io.weir.insight.Insights;
import io.weir.insight.RankedCaller;
import io.weir.insight.RankingKind;
import io.weir.insight.RankingWindow;
import io.weir.rules.LimitGroup;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.RuleBucket;
import io.weir.runtime.Node;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The top refused callers of a rule, and the state of one caller. */
final class CallerView {
  private static final int MAX_CALLERS = 20;
  private static final int TIMEOUT_SECONDS = 5;
  private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");

  private final Node node;
  private final Insights insights;
  private final boolean isRevealed;

  CallerView(Node node, Insights insights, boolean isRevealed) {
    this.node = node;
    this.insights = insights;
    this.isRevealed = isRevealed;
  }

  /** The refused callers of the last hour; null if there is no such rule. */
  @Nullable Map<String, Object> top(String label) {
    if (rule(label) == null) {
      return null;
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rule", label);
    for (RankingKind rankingKind : RankingKind.values()) {
      List<RankedCaller> rankedCaller =
          await(
              insights.ask(
                  () ->
                      insights
                          .topCallers()
                          .top(rankingKind, RankingWindow.HOUR, label, MAX_CALLERS)));
      json.put(rankingKind.toString(), rankedCaller.stream().map(this::caller).toList());
    }
    return json;
  }

  private Map<String, Object> caller(RankedCaller rankedCaller) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("id", rankedCaller.callerKey().id());
    json.put("key", shown(rankedCaller.callerKey()));
    json.put("count", rankedCaller.count());
    json.put("last", Instant.ofEpochMilli(rankedCaller.last()).toString());
    return json;
  }

  private String shown(CallerKey callerKey) {
    return isRevealed ? callerKey.revealed() : callerKey.masked();
  }

  /**
   * A caller's buckets for one rule.
   *
   * @param ruleBuckets all of them
   * @param holding those that apply to the caller
   * @param shown the key in the form that may be shown
   */
  record Caller(Rule rule, List<RuleBucket> ruleBuckets, List<RuleBucket> holding, String shown) {}

  /** The caller of a rule by an id or a key; null if there is no such rule or id. */
  @Nullable Caller find(String label, String idOrKey) {
    Rule rule = rule(label);
    if (rule == null) {
      return null;
    }
    DecisionEngine decisionEngine = node.decisionEngine();
    if (ID.matcher(idOrKey).matches()) {
      Optional<CallerKey> known =
          await(insights.ask(() -> insights.topCallers().find(label, idOrKey)));
      return known
          .filter(CallerKey::isWhole)
          .map(
              callerKey ->
                  caller(
                      rule,
                      label,
                      decisionEngine.buckets(rule, callerKey.kept()),
                      callerKey,
                      shown(callerKey)))
          .orElse(null);
    }
    List<String> per = rule.per();
    Request one = name -> name.equals(per.get(0)) ? idOrKey : null;
    List<RuleBucket> ruleBuckets =
        per.size() == 1 ? decisionEngine.buckets(rule, one) : decisionEngine.buckets(rule, idOrKey);
    String text = ruleBuckets.isEmpty() ? idOrKey : ruleBuckets.get(0).key();
    return caller(
        rule, label, ruleBuckets, insights.topCallers().named(rule, label, text), idOrKey);
  }

  private Caller caller(
      Rule rule, String label, List<RuleBucket> ruleBuckets, CallerKey callerKey, String shown) {
    List<String> seen = await(insights.ask(() -> insights.topCallers().limitsOf(label, callerKey)));
    Optional<LimitGroup> known =
        callerKey.isWhole()
            ? node.decisionEngine().applying(rule, callerKey.kept())
            : Optional.empty();
    return new Caller(
        rule, ruleBuckets, CallerBuckets.of(rule, known, seen, ruleBuckets).ruleBuckets(), shown);
  }

  private @Nullable Rule rule(String label) {
    List<Rule> found =
        node.decisionEngine().decisionCounters().labelled(label, node.decisionEngine()::rules);
    return found.isEmpty() ? null : found.get(0);
  }

  /** The limits that the next call of a caller would see. */
  Map<String, Object> state(Caller caller) {
    List<Map<String, Object>> buckets = new ArrayList<>();
    for (RuleBucket ruleBucket : caller.holding()) {
      buckets.add(state(ruleBucket, await(ruleBucket.peek())));
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rule", caller.rule().name());
    json.put("key", caller.shown());
    json.put("buckets", buckets);
    return json;
  }

  private Map<String, Object> state(RuleBucket ruleBucket, Decision decision) {
    Map<String, Object> json = new LinkedHashMap<>();
    ruleBucket
        .limitGroup()
        .ruleOverride()
        .ifPresent(each -> json.put("override", name(ruleBucket.limitGroup())));
    if (decision.origin() == Origin.FAILURE) {
      json.put("state", "the store is not available now");
      return json;
    }
    json.put("allowed", decision.allowed());
    json.put("remaining", decision.remaining());
    decision.retryAfter().ifPresent(after -> json.put("retry_after_ms", millis(after)));
    List<Map<String, Object>> limits = new ArrayList<>();
    for (LimitStatus limitStatus : decision.standings()) {
      limits.add(
          Map.of(
              "limit", limitStatus.limit().toString(),
              "remaining", limitStatus.remaining(),
              "reset_after_ms", millis(limitStatus.resetAfter())));
    }
    json.put("limits", limits);
    return json;
  }

  /** The name of an override, without credentials. */
  private String name(LimitGroup limitGroup) {
    return node.decisionEngine().rules().domains().stream()
        .filter(domain -> domain.name().equals(limitGroup.rule().domain()))
        .findFirst()
        .map(
            domain ->
                CredentialMasking.over(domain)
                    .names(limitGroup.rule())
                    .get(limitGroup.override() - 1))
        .orElse("?");
  }

  private static long millis(Duration duration) {
    return duration.plusNanos(999_999).toMillis();
  }

  /** Resets a caller to full. */
  void reset(Caller caller) {
    for (RuleBucket ruleBucket : caller.ruleBuckets()) {
      await(ruleBucket.reset().thenApply(any -> true));
    }
  }

  private static <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    try {
      return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the state is not available now", e);
    }
  }
}
