package io.weir.server.admin;

import io.weir.StoreHealth;
import io.weir.decision.DecisionEngine;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.JsonWriter;
import io.weir.server.ServerStatus;
import io.weir.server.http.HttpResponses;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * {@code /health/live} and {@code /health/ready}.
 *
 * <p>An unavailable store does not make the node unready: the rules define a failure policy, and
 * sending the requests to other nodes would not bring the store back. The page reports the state of
 * the store.
 */
final class HealthEndpoints {
  private final DecisionEngine decisionEngine;
  private final ServerStatus serverStatus;
  private final Supplier<StoreHealth> store;

  HealthEndpoints(
      DecisionEngine decisionEngine, ServerStatus serverStatus, Supplier<StoreHealth> store) {
    this.decisionEngine = decisionEngine;
    this.serverStatus = serverStatus;
    this.store = store;
  }

  DirectResponse live() {
    return page(200, new JsonWriter().open().text("status", "live").close());
  }

  DirectResponse ready() {
    List<String> reasons = new ArrayList<>();
    if (!serverStatus.isReady()) {
      reasons.add("starting or draining");
    }
    if (decisionEngine.rules().domains().isEmpty()) {
      reasons.add("no rules");
    }
    boolean isReady = reasons.isEmpty();
    JsonWriter page = new JsonWriter().open().text("status", isReady ? "ready" : "unready");
    page.open("reasons", '[');
    reasons.forEach(page::text);
    page.end(']');
    page.text("store", store.get().worst().toString()); // no address: this page needs no token
    return page(isReady ? 200 : 503, page.close());
  }

  private static DirectResponse page(int status, JsonWriter body) {
    return HttpResponses.json(status, body.toString());
  }
}
