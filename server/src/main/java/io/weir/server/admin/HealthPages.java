package io.weir.server.admin;

import io.weir.StoreHealth;
import io.weir.arbiter.Arbiter;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Json;
import io.weir.server.Vitals;
import io.weir.server.http.Replies;
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
final class HealthPages {
  private final Arbiter arbiter;
  private final Vitals vitals;
  private final Supplier<StoreHealth> store;

  HealthPages(Arbiter arbiter, Vitals vitals, Supplier<StoreHealth> store) {
    this.arbiter = arbiter;
    this.vitals = vitals;
    this.store = store;
  }

  Answer live() {
    return page(200, new Json().open().text("status", "live").close());
  }

  Answer ready() {
    List<String> reasons = new ArrayList<>();
    if (!vitals.isReady()) {
      reasons.add("starting or draining");
    }
    if (arbiter.rules().domains().isEmpty()) {
      reasons.add("no rules");
    }
    boolean isReady = reasons.isEmpty();
    Json page = new Json().open().text("status", isReady ? "ready" : "unready");
    page.open("reasons", '[');
    reasons.forEach(page::text);
    page.end(']');
    page.text("store", store.get().worst().toString()); // no address: this page needs no token
    return page(isReady ? 200 : 503, page.close());
  }

  private static Answer page(int status, Json body) {
    return Replies.json(status, body.toString());
  }
}
