package io.weir.server.admin;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.Bucket;
import io.weir.rules.Rule;
import io.weir.rules.Variant;
import io.weir.rules.http.Json;
import io.weir.server.http.Millis;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** How one caller stands with one rule: what the next request would be told by each bucket. */
final class Standings {
  private final Rule rule;
  private final List<Look> looks;

  private Standings(Rule rule, List<Look> looks) {
    this.rule = rule;
    this.looks = looks;
  }

  /** Looks at the buckets. */
  static CompletionStage<Standings> of(Rule rule, List<Bucket> buckets) {
    List<CompletableFuture<Look>> looks = new ArrayList<>();
    for (Bucket bucket : buckets) {
      looks.add(
          bucket.peek().thenApply(decision -> new Look(bucket, decision)).toCompletableFuture());
    }
    return CompletableFuture.allOf(looks.toArray(new CompletableFuture<?>[0]))
        .thenApply(
            any -> new Standings(rule, looks.stream().map(CompletableFuture::join).toList()));
  }

  /** Whether the store could not be asked. */
  boolean isAway() {
    return looks.stream().anyMatch(look -> look.decision.origin() == Origin.FAILURE);
  }

  /**
   * As JSON.
   *
   * @param key as it is to be shown
   */
  String json(String key) {
    Json page = new Json().open().text("rule", rule.name());
    page.text("domain", rule.domain());
    page.text("key", key);
    page.open("buckets", '[');
    looks.forEach(look -> look.addTo(page));
    return page.end(']').close().toString();
  }

  /** What was seen of one bucket. */
  private record Look(Bucket bucket, Decision decision) {
    void addTo(Json page) {
      page.begin('{');
      page.text("override", bucket.meter().variant().map(Variant::id).orElse(null));
      page.truth("allowed", decision.allowed());
      page.number("remaining", decision.remaining());
      page.number("retry_after_ms", Millis.orNever(decision.retryAfter()));
      page.open("limits", '[');
      for (Standing standing : decision.standings()) {
        page.begin('{').text("limit", standing.limit().toString());
        page.number("capacity", standing.limit().capacity());
        page.number("remaining", standing.remaining());
        page.number("retry_after_ms", Millis.orNever(standing.retryAfter()));
        page.number("reset_after_ms", Millis.of(standing.resetAfter())).close();
      }
      page.end(']').close();
    }
  }
}
