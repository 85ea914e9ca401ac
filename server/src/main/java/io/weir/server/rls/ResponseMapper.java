package io.weir.server.rls;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.http.DecisionResponses;
import io.weir.server.ServerSettings;
import io.weir.server.http.Millis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Converts decisions into Envoy's responses. */
final class ResponseMapper {
  private static final long MAX_UINT32 = 0xFFFF_FFFFL;

  private final DecisionResponses decisionResponses;
  private final boolean sendsMetadata;

  ResponseMapper(ServerSettings serverSettings) {
    this.decisionResponses = new DecisionResponses(serverSettings.headers());
    this.sendsMetadata = serverSettings.envoy().metadata();
  }

  RlsResponse reply(DescriptorRequest descriptorRequest, DescriptorDecision descriptorDecision) {
    List<DescriptorDecision.DescriptorResult> each = descriptorDecision.descriptorResults();
    List<RlsResponse.DescriptorStatus> statuses = new ArrayList<>(each.size());
    for (DescriptorDecision.DescriptorResult descriptorResult : each) {
      statuses.add(status(descriptorResult));
    }
    return new RlsResponse(
        !descriptorDecision.allowed(),
        statuses,
        decisionResponses.headers(together(descriptorDecision)),
        sendsMetadata ? DynamicMetadata.of(descriptorRequest, each) : Map.of());
  }

  /**
   * All decisions combined, for the headers. A request may be allowed although some limits refuse,
   * in quota mode or because nothing is enforced. The headers then leave out those limits, because
   * they must not make the client wait.
   */
  private static RequestDecision together(DescriptorDecision descriptorDecision) {
    List<DescriptorDecision.DescriptorResult> each = descriptorDecision.descriptorResults();
    if (each.size() == 1
        && each.get(0).requestDecision().allowed() == descriptorDecision.allowed()) {
      return each.get(0).requestDecision();
    }
    List<RuleDecision> ruleDecisions = new ArrayList<>(each.size());
    for (DescriptorDecision.DescriptorResult descriptorResult : each) {
      for (RuleDecision ruleDecision : descriptorResult.requestDecision().ruleDecisions()) {
        if (!descriptorDecision.allowed() || ruleDecision.decision().allowed()) {
          ruleDecisions.add(ruleDecision);
        }
      }
    }
    return RequestDecision.of(ruleDecisions, List.of());
  }

  private static RlsResponse.DescriptorStatus status(
      DescriptorDecision.DescriptorResult descriptorResult) {
    RequestDecision requestDecision = descriptorResult.requestDecision();
    List<RuleDecision> shadows = requestDecision.shadows();
    RuleDecision shown =
        requestDecision.deciding().orElse(shadows.isEmpty() ? null : shadows.get(0));
    if (shown == null) {
      return undecided(descriptorResult.descriptorMatch());
    }
    Decision decision = shown.decision();
    if (decision.origin() == Origin.FAILURE) {
      return requestDecision.allowed()
          ? RlsResponse.DescriptorStatus.FREE
          : new RlsResponse.DescriptorStatus(true, null, 0, 1);
    }
    LimitStatus limitStatus = decision.deciding();
    Limit limit = limitStatus.limit();
    return new RlsResponse.DescriptorStatus(
        !requestDecision.allowed(),
        new RlsResponse.CurrentLimit(
            Math.min(limit.permits(), MAX_UINT32),
            EnvoyUnit.of(limit),
            name(descriptorResult.descriptorMatch(), shown)),
        Math.min(limitStatus.remaining(), MAX_UINT32),
        resetSeconds(limitStatus, decision));
  }

  /**
   * The status of a limit in shadow mode when the request is refused: it is not charged, but
   * reported all the same.
   */
  private static RlsResponse.DescriptorStatus undecided(DescriptorMatch descriptorMatch) {
    if (descriptorMatch instanceof DescriptorMatch.Limited limited) {
      Limit limit = limited.rule().limits().get(0);
      String name = limited.limit().name().orElse("");
      return new RlsResponse.DescriptorStatus(
          false,
          new RlsResponse.CurrentLimit(
              Math.min(limit.permits(), MAX_UINT32), EnvoyUnit.of(limit), name),
          0,
          0);
    }
    return descriptorMatch instanceof DescriptorMatch.Unlimited
        ? RlsResponse.DescriptorStatus.UNLIMITED
        : RlsResponse.DescriptorStatus.FREE;
  }

  /**
   * The name of a limit: in the Envoy form the configured name, otherwise the name of Weir's rule.
   */
  private static String name(DescriptorMatch descriptorMatch, RuleDecision shown) {
    return descriptorMatch instanceof DescriptorMatch.Limited limited
            && limited.rule().equals(shown.rule())
        ? limited.limit().name().orElse("")
        : shown.rule().name();
  }

  /**
   * The time until the window ends; for limits without a window, until the request fits or the
   * limit is full again.
   */
  private static long resetSeconds(LimitStatus limitStatus, Decision decision) {
    if (limitStatus.limit() instanceof Limit.FixedWindow window
        && window.span() instanceof Limit.Length length) {
      long period = length.period().toMillis();
      return roundedUp(period - Math.floorMod(decision.time().toEpochMilli(), period));
    }
    Duration wait =
        limitStatus.allows() || limitStatus.neverFits()
            ? limitStatus.resetAfter()
            : limitStatus.retryAfter().orElse(Duration.ZERO);
    return roundedUp(Millis.of(wait));
  }

  private static long roundedUp(long millis) {
    return (millis + 999) / 1000;
  }
}
