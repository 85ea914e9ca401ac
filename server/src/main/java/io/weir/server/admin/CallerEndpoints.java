package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.DecisionEngine;
import io.weir.insight.CallerBuckets;
import io.weir.insight.CallerHistory;
import io.weir.insight.CallerKey;
import io.weir.insight.Insights;
import io.weir.insight.RankedCaller;
import io.weir.insight.RankingKind;
import io.weir.insight.RankingWindow;
import io.weir.insight.TopCallers;
import io.weir.insight.whatif.Resolution;
import io.weir.rules.Rule;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/top} and {@code /v1/callers}: the most refused callers, and the requests of one of
 * them.
 */
final class CallerEndpoints {
  private static final int MAX_CALLERS = 1000;
  private static final int DEFAULT_CALLERS = 20;
  private static final String OLD_REFUSED = "throttled"; // the former name of that kind

  private final DecisionEngine decisionEngine;
  private final Insights insights;
  private final KeyReveal keyReveal;

  CallerEndpoints(DecisionEngine decisionEngine, Insights insights, KeyReveal keyReveal) {
    this.decisionEngine = decisionEngine;
    this.insights = insights;
    this.keyReveal = keyReveal;
  }

  /** The callers that were refused most, or would be, or are nearest to the limit. */
  void top(HttpServerRequest request) {
    QueryParameters parameters =
        QueryParameters.of(request, "rule", "window", "kind", "limit", KeyReveal.PARAMETER);
    RankingWindow rankingWindow =
        RankingWindow.valueOf(
            upper(parameters.oneOf("window", "minute", names(RankingWindow.values()))));
    RankingKind rankingKind = kind(parameters);
    int limit = parameters.number("limit", DEFAULT_CALLERS, 1, MAX_CALLERS);
    String rule = parameters.text("rule");
    if (rule != null) {
      RuleFinder.known(rule, decisionEngine);
    }
    Boolean isRevealed = keyReveal.isRequested(request, parameters.text(KeyReveal.PARAMETER));
    if (isRevealed != null) {
      InsightResponses.orBusy(
          request,
          insights.ask(
              () -> new Top(insights.topCallers(), rankingKind, rankingWindow, rule, limit)),
          top -> {
            List<CallerKey> callerKeys = top.items.stream().map(RankedCaller::callerKey).toList();
            keyReveal.note(
                isRevealed, callerKeys, rule == null ? "all rules" : "rule " + rule, request);
            HttpResponses.send(request, AdminResponses.json(top.json(isRevealed)));
          });
    }
  }

  private static RankingKind kind(QueryParameters parameters) {
    return OLD_REFUSED.equals(parameters.text("kind"))
        ? RankingKind.REFUSED
        : RankingKind.valueOf(
            upper(parameters.oneOf("kind", "refused", names(RankingKind.values()))));
  }

  /** The requests of one caller, and its present limit status. */
  void caller(HttpServerRequest request) {
    QueryParameters parameters =
        QueryParameters.of(request, "rule", "id", "range", KeyReveal.PARAMETER);
    String label = RuleFinder.known(parameters.text("rule"), decisionEngine);
    String id = parameters.text("id");
    if (id == null) {
      throw new MalformedRequestException("'id' is missing: of a caller, as listed by /v1/top");
    }
    Resolution range = grain(parameters.oneOf("range", "5m", names(Resolution.values())));
    Boolean isRevealed = keyReveal.isRequested(request, parameters.text(KeyReveal.PARAMETER));
    if (isRevealed == null) {
      return;
    }
    InsightResponses.orBusy(
        request,
        insights.ask(() -> Found.of(insights.topCallers(), label, id, range)),
        found -> {
          if (found.isEmpty()) {
            HttpResponses.send(request, KeyEndpoints.unknown());
          } else {
            keyReveal.note(isRevealed, List.of(found.get().callerKey), "rule " + label, request);
            show(request, label, found.get(), range, isRevealed);
          }
        });
  }

  private void show(
      HttpServerRequest request, String label, Found found, Resolution range, boolean isRevealed) {
    CallerKey callerKey = found.callerKey;
    Optional<Rule> rule = RuleFinder.ifKnown(label, decisionEngine);
    CompletionStage<Optional<KeyState>> state =
        rule.filter(any -> callerKey.isWhole())
            .map(one -> keyState(one, found))
            .map(pending -> pending.thenApply(Optional::of))
            .orElse(CompletableFuture.completedFuture(Optional.empty()));
    String shown = KeyReveal.shown(callerKey, isRevealed);
    EventLoops.respond(
        request,
        state,
        keyState -> {
          JsonWriter page = new JsonWriter().open().text("rule", label);
          page.text("id", callerKey.id()).text("key", shown);
          page.text("mode", rule.map(one -> one.policy().mode().toString()).orElse("enforce"));
          page.text("range", range.toString()).number("step_ms", range.stepMillis());
          addHistory(page, found.callerHistory.orElse(null), range);
          Optional<KeyState> known = keyState.filter(each -> !each.isAway());
          if (known.isPresent()) {
            page.raw("state", known.get().json(shown));
          } else {
            page.nothing("state");
          }
          page.text("no_state", known.isPresent() ? null : stateless(callerKey, rule.isPresent()));
          page.number("sampling", found.sampling).text("error", found.error());
          HttpResponses.send(request, AdminResponses.json(page.close().toString()));
        });
  }

  private CompletionStage<KeyState> keyState(Rule rule, Found found) {
    RuleLimits ruleLimits = RuleLimits.of(rule, decisionEngine);
    String key = found.callerKey.kept();
    return KeyState.of(
        ruleLimits,
        CallerBuckets.of(
            rule,
            decisionEngine.applying(rule, key),
            found.seen,
            decisionEngine.buckets(rule, key)));
  }

  /** The reason why the limit status of a caller is unknown. */
  private static String stateless(CallerKey callerKey, boolean isOfOneRule) {
    if (!isOfOneRule) {
      return "several limits are counted under this name: the rule of these buckets is unknown";
    }
    return callerKey.isWhole() ? "the store is unavailable" : "its key is too long to be kept";
  }

  /** Slots that were over before the recording began are unknown: null. */
  private static void addHistory(
      JsonWriter page, @Nullable CallerHistory history, Resolution range) {
    if (history == null) {
      page.nothing("start").nothing("end");
      page.open("asked", '[').end(']').open("refused", '[').end(']').nothing("since");
      return;
    }
    page.number("start", history.startMillis()).number("end", history.endMillis());
    addSlots(page, "asked", history.asked(), history, range);
    addSlots(page, "refused", history.refused(), history, range);
    page.number("since", history.sinceMillis());
  }

  private static void addSlots(
      JsonWriter page, String name, int[] slots, CallerHistory history, Resolution range) {
    page.open(name, '[');
    for (int i = 0; i < slots.length; i++) {
      boolean isKnown =
          history.startMillis() + (i + 1) * range.stepMillis() > history.sinceMillis();
      page.raw(isKnown ? Integer.toString(slots[i]) : "null");
    }
    page.end(']');
  }

  static Resolution grain(String name) {
    return Resolution.of(name).orElseThrow();
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  static List<String> names(Object[] values) {
    return Arrays.stream(values).map(Object::toString).toList();
  }

  /** A caller that was found, and what was recorded of it. */
  private record Found(
      CallerKey callerKey, List<String> seen, Optional<CallerHistory> callerHistory, int sampling) {
    static Optional<Found> of(TopCallers topCallers, String label, String id, Resolution range) {
      return topCallers
          .find(label, id)
          .map(
              callerKey ->
                  new Found(
                      callerKey,
                      topCallers.limitsOf(label, callerKey),
                      topCallers.chronicle(label, callerKey, range),
                      topCallers.thinnest(range)));
    }

    private String error() {
      return sampling == 1
          ? "every decision was looked at"
          : "one decision in "
              + sampling
              + " was looked at, and stands for as many: counts are estimates";
    }
  }

  /** A ranking, computed on the aggregation thread. */
  private static final class Top {
    private final RankingKind rankingKind;
    private final RankingWindow rankingWindow;
    private final List<RankedCaller> items;
    private final int sampling;
    private final int places;

    Top(
        TopCallers topCallers,
        RankingKind rankingKind,
        RankingWindow rankingWindow,
        @Nullable String rule,
        int limit) {
      this.rankingKind = rankingKind;
      this.rankingWindow = rankingWindow;
      this.items = topCallers.top(rankingKind, rankingWindow, rule, limit);
      this.sampling = topCallers.thinnest(rankingWindow);
      this.places = topCallers.places();
    }

    String json(boolean isRevealed) {
      JsonWriter page = new JsonWriter().open().text("window", rankingWindow.toString());
      page.text("kind", rankingKind.toString()).open("items", '[');
      for (RankedCaller each : items) {
        page.begin('{').text("rule", each.rule()).text("override", each.override());
        page.text("id", each.callerKey().id());
        page.text("key", KeyReveal.shown(each.callerKey(), isRevealed));
        page.number("count", each.count()).number("at_most", each.atMost());
        page.number("last", each.last());
        page.raw("use", each.use() == null ? "null" : each.use().toString()).close();
      }
      page.end(']').number("sampling", sampling);
      return page.text("error", error()).close().toString();
    }

    private String error() {
      String places =
          "each rule's list has "
              + this.places
              + " places: count is at least, at_most at most what was seen";
      return sampling == 1
          ? places
          : places + "; one decision in " + sampling + " was looked at, and stands for as many";
    }
  }
}
