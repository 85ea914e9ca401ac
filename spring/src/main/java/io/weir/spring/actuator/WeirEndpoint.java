package io.weir.spring.actuator;

import io.weir.insight.Insights;
import io.weir.runtime.Node;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * {@code /actuator/weir} lists the rules, {@code /{rule}} its most refused callers, and {@code
 * /{rule}/{caller}} the state of a caller. DELETE on a caller resets it to full. Anything unknown
 * is 404.
 */
@Endpoint(id = "weir")
public final class WeirEndpoint {
  private static final System.Logger AUDIT = System.getLogger("io.weir.audit");

  private final Node node;
  private final RuleView rules;
  private final CallerView callers;

  public WeirEndpoint(Node node, Insights insights, RuleView rules, boolean isRevealed) {
    this.node = node;
    this.rules = rules;
    this.callers = new CallerView(node, insights, isRevealed);
  }

  @ReadOperation
  Map<String, Object> rules() {
    Map<String, Object> overview = new LinkedHashMap<>();
    overview.put("since", node.reloadCounters().since().toString());
    overview.put("requests", rules.requests());
    overview.put("rules", rules.all());
    return overview;
  }

  @ReadOperation
  @Nullable Map<String, Object> callers(@Selector String rule) {
    return callers.top(rule);
  }

  /**
   * The state of a caller.
   *
   * @param caller an id from {@link #callers}, or the key itself
   */
  @ReadOperation
  @Nullable Map<String, Object> caller(@Selector String rule, @Selector String caller) {
    CallerView.Caller found = callers.find(rule, caller);
    return found == null ? null : callers.state(found);
  }

  /** Resets a caller to full and logs it. */
  @DeleteOperation
  WebEndpointResponse<Map<String, Object>> reset(@Selector String rule, @Selector String caller) {
    CallerView.Caller found = callers.find(rule, caller);
    if (found == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    callers.reset(found);
    AUDIT.log(System.Logger.Level.INFO, () -> "reset: one caller of rule " + rule);
    return new WebEndpointResponse<>(callers.state(found));
  }
}
