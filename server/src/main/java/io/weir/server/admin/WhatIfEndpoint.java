package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.Limit;
import io.weir.decision.DecisionEngine;
import io.weir.insight.Insights;
import io.weir.insight.TopCallers;
import io.weir.insight.whatif.Forecast;
import io.weir.insight.whatif.LimitFormatter;
import io.weir.insight.whatif.Proposal;
import io.weir.insight.whatif.RecordedDemand;
import io.weir.insight.whatif.Resolution;
import io.weir.insight.whatif.Snippet;
import io.weir.insight.whatif.WhatIf;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/what-if}: what another limit would do to the recorded demand. Computed on a worker
 * thread because it may take long, for at most two requests at once.
 */
final class WhatIfEndpoint {
  /** Why a rule that is off cannot be tried. */
  static final String OFF = "it is off and gets no requests; set its mode to shadow to record them";

  private static final int AT_ONCE = 2;
  private static final String USUAL = "as the period of the limit asks for";

  private final DecisionEngine decisionEngine;
  private final Insights insights;
  private final Semaphore places = new Semaphore(AT_ONCE);

  WhatIfEndpoint(DecisionEngine decisionEngine, Insights insights) {
    this.decisionEngine = decisionEngine;
    this.insights = insights;
  }

  void show(HttpServerRequest request) {
    QueryParameters parameters =
        QueryParameters.of(request, "rule", "override", "limit", "burst", "range");
    Rule rule = RuleFinder.labelled(parameters.text("rule"), decisionEngine);
    if (rule.policy().mode() == Policy.Mode.OFF) {
      throw new MalformedRequestException("rule '" + rule.name() + "': " + OFF);
    }
    String limit = parameters.text("limit");
    if (limit == null) {
      throw new MalformedRequestException("'limit' is missing, such as 50 per second");
    }
    Optional<RuleOverride> override =
        RuleLimits.of(rule, decisionEngine).named(parameters.text("override"));
    String name = override.isEmpty() ? null : parameters.text("override");
    Proposal proposal = Proposal.read(rule, override, limit, parameters.text("burst"));
    Resolution range =
        parameters.text("range") == null
            ? proposal.resolution()
            : CallerEndpoints.grain(
                parameters.oneOf("range", USUAL, CallerEndpoints.names(Resolution.values())));
    String label = String.valueOf(parameters.text("rule"));
    if (!places.tryAcquire()) { // before the demand is copied, which is large
      InsightResponses.busy(request);
      return;
    }
    ContextInternal context = ((HttpServerRequestInternal) request).context();
    CompletionStage<String> played =
        insights
            .ask(() -> Recorded.of(insights.topCallers(), label, name, override, range))
            .thenCompose(
                recorded ->
                    context
                        .executeBlocking(() -> played(label, proposal, recorded), false)
                        .toCompletionStage())
            .whenComplete((any, failure) -> places.release());
    InsightResponses.respond(request, played);
  }

  private static String played(String label, Proposal proposal, Recorded recorded) {
    return json(label, proposal, WhatIf.play(recorded.recordedDemand, proposal), recorded);
  }

  private static String json(
      String label, Proposal proposal, Forecast forecast, Recorded recorded) {
    RecordedDemand recordedDemand = forecast.recordedDemand();
    JsonWriter page =
        new JsonWriter().open().text("rule", label).text("override", recorded.override);
    page.text("range", recordedDemand.range().toString());
    page.open("now", '{').text("limit", words(proposal.before()));
    page.number("value", proposal.present());
    page.open("callers", '{').number("total", forecast.callers());
    page.number("refused", forecast.refusedNow()).close();
    page.open("requests", '{').number("total", recordedDemand.requests());
    page.number("refused", forecast.requestsRefusedNow()).close().close();
    page.open("then", '{').text("limit", words(proposal.limits()));
    page.number("value", proposal.limit().permits());
    add(page, "callers", forecast.callers(), forecast.refusedCallers());
    add(page, "requests", recordedDemand.requests(), forecast.refusedRequests());
    page.close().open("curve", '[');
    for (Forecast.Point point : forecast.curve()) {
      page.begin('{').text("limit", point.limit()).number("value", point.value());
      page.number("callers", point.callers()).number("requests", point.requests()).close();
    }
    page.end(']').open("recorded", '{').number("callers", forecast.recorded());
    page.number("of", Math.max(forecast.recorded(), callers(proposal, forecast, recorded)));
    page.raw("share_of_demand", thousandths(forecast.shareOfDemand()));
    page.number("resolution_ms", recordedDemand.range().stepMillis());
    page.number("since", recordedDemand.sinceMillis()).close();
    page.number("sampling", recordedDemand.sampling());
    page.text("error", error(forecast));
    return page.text("snippet", Snippet.of(proposal, recorded.override)).close().toString();
  }

  /** About how many callers there are: of a day or, if overrides divide them, of the range. */
  private static long callers(Proposal proposal, Forecast forecast, Recorded recorded) {
    return proposal.rule().ruleOverrides().isEmpty() ? recorded.callers : forecast.callers();
  }

  private static void add(JsonWriter page, String name, long total, Forecast.Estimate refused) {
    page.open(name, '{').number("total", total).number("refused", refused.value());
    page.number("low", refused.low()).number("high", refused.high()).close();
  }

  private static String words(List<Limit> limits) {
    return limits.stream().map(LimitFormatter::of).collect(Collectors.joining(" and "));
  }

  private static String thousandths(double share) {
    return Double.toString(Math.floor(share * 1000) / 1000.0); // 1 means all of it
  }

  private static String error(Forecast forecast) {
    RecordedDemand recordedDemand = forecast.recordedDemand();
    if (recordedDemand.requests() == 0) {
      return "nothing was asked of this limit in this time, as far as it was recorded";
    }
    StringBuilder words = new StringBuilder("requests are recorded in slots of ");
    words.append(recordedDemand.range().stepMillis() / 1000).append(" s, not one by one");
    if (recordedDemand.share() < 1) {
      words.append("; one caller in ").append(Math.round(1 / recordedDemand.share()));
      words.append(" is recorded, and the heaviest: low to high is right 19 times in 20");
    }
    if (recordedDemand.sampling() > 1) {
      words
          .append("; one decision in ")
          .append(recordedDemand.sampling())
          .append(" was looked at and");
      words.append(" stands for as many: rare callers are missed, others seem to have sent");
      words.append(" bursts, and low to high does not cover that");
    }
    return words.toString();
  }

  /**
   * The recorded data from the aggregation thread.
   *
   * @param override the name of an override; null: the rule's own limits
   */
  private record Recorded(RecordedDemand recordedDemand, long callers, @Nullable String override) {
    static Recorded of(
        TopCallers topCallers,
        String label,
        @Nullable String name,
        Optional<RuleOverride> override,
        Resolution range) {
      RecordedDemand recordedDemand =
          topCallers.demand(label, override.map(RuleOverride::id).orElse(""), range);
      return new Recorded(recordedDemand, topCallers.census(label).callers(), name);
    }
  }
}
