package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.Bucket;
import io.weir.rules.Rule;
import io.weir.rules.Variant;
import io.weir.rules.http.Json;
import io.weir.rules.http.Query;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Arbiter;
import io.weir.server.http.Counts;
import io.weir.server.http.Later;
import io.weir.server.http.Millis;
import io.weir.server.http.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * {@code /v1/keys}: how one caller stands with one rule, and changes of that by hand.
 *
 * <p>A caller has a bucket for the rule's own limits and one for each of its overrides. A look
 * shows them all, a change is made to all of them: those that the caller has spent nothing of stay
 * as they are.
 */
final class KeyPages {
  private static final int MOST_PARAMETERS = 64;
  private static final long MOST_PERMITS = 1L << 31;

  private final Arbiter arbiter;
  private final AuditLog audit;

  KeyPages(Arbiter arbiter, AuditLog audit) {
    this.arbiter = arbiter;
    this.audit = audit;
  }

  /** What the next request would be told. */
  void look(HttpServerRequest request) {
    Target target = target(request);
    Later.answer(request, peek(target), looks -> show(request, target, looks));
  }

  /** As good as new. */
  void reset(HttpServerRequest request) {
    Target target = target(request);
    change(request, target, "reset", Bucket::reset);
  }

  /** Gives permits back. */
  void grant(HttpServerRequest request) {
    Target target = target(request);
    String text = target.parameters.get("permits");
    if (text == null) {
      throw new MalformedRequestException("'permits' is missing: how many are to be given");
    }
    long permits = Counts.parse(text, "'permits'");
    if (permits < 1 || permits > MOST_PERMITS) {
      throw new MalformedRequestException("'permits' must be from 1 to " + MOST_PERMITS);
    }
    change(request, target, "grant of " + permits, bucket -> bucket.grant(permits));
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
    CompletionStage<List<Look>> done =
        all(changes)
            .thenCompose(any -> peek(target))
            .whenComplete(
                (looks, failure) -> audit(request, target, what, failure != null || isAway(looks)));
    Later.answer(request, done, looks -> show(request, target, looks));
  }

  private void audit(HttpServerRequest request, Target target, String what, boolean isInDoubt) {
    String key = target.buckets.isEmpty() ? "" : target.buckets.get(0).key();
    audit.changed(isInDoubt ? what + ", in doubt" : what, target.rule, key, request);
  }

  /** Whether the store could not be asked: nobody knows then what became of a change. */
  private static boolean isAway(List<Look> looks) {
    return looks.stream().anyMatch(look -> look.decision.origin() == Origin.FAILURE);
  }

  private Target target(HttpServerRequest request) {
    String query = request.query();
    Map<String, String> parameters = Query.parameters(query == null ? "" : query, MOST_PARAMETERS);
    Rule rule =
        new RuleFinder(arbiter.rules()).find(parameters.get("rule"), parameters.get("domain"));
    List<Bucket> buckets =
        arbiter.buckets(
            rule, name -> RuleFinder.RESERVED.contains(name) ? null : parameters.get(name));
    return new Target(rule, buckets, parameters);
  }

  private static CompletionStage<List<Look>> peek(Target target) {
    List<CompletableFuture<Look>> looks = new ArrayList<>();
    for (Bucket bucket : target.buckets) {
      looks.add(
          bucket.peek().thenApply(decision -> new Look(bucket, decision)).toCompletableFuture());
    }
    return all(looks).thenApply(any -> looks.stream().map(CompletableFuture::join).toList());
  }

  private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> futures) {
    return CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0]));
  }

  private static void show(HttpServerRequest request, Target target, List<Look> looks) {
    if (isAway(looks)) {
      Replies.send(
          request, Replies.error(503, "store_unavailable", "the store cannot be asked now"));
      return;
    }
    Json page = new Json().open().text("rule", target.rule.name());
    page.text("domain", target.rule.domain());
    page.text("key", looks.isEmpty() ? "" : looks.get(0).bucket.key());
    page.open("buckets", '[');
    looks.forEach(look -> look.addTo(page));
    Pages.send(request, Pages.json(page.end(']').close().toString()));
  }

  /** Whose buckets of which rule. */
  private record Target(Rule rule, List<Bucket> buckets, Map<String, String> parameters) {}

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
