package io.weir.server.admin;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.Bucket;
import io.weir.rules.http.Json;
import io.weir.seeing.Holding;
import io.weir.seeing.LimitText;
import io.weir.server.http.Millis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The limit status of one caller under one rule: what each bucket would decide for the next
 * request.
 */
final class Standings {
  private final Limits limits;
  private final boolean isKnown;
  private final List<Look> looks;

  private Standings(Limits limits, boolean isKnown, List<Look> looks) {
    this.limits = limits;
    this.isKnown = isKnown;
    this.looks = looks;
  }

  /** Peeks at the buckets. */
  static CompletionStage<Standings> of(Limits limits, Holding holding) {
    List<CompletableFuture<Look>> looks =
        holding.buckets().stream().map(Look::at).map(CompletionStage::toCompletableFuture).toList();
    return all(looks).thenApply(told -> new Standings(limits, holding.isKnown(), told));
  }

  private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> some) {
    return CompletableFuture.allOf(some.toArray(new CompletableFuture<?>[0]))
        .thenApply(any -> some.stream().map(CompletableFuture::join).toList());
  }

  /** Whether the store was unavailable. */
  boolean isAway() {
    return looks.stream().anyMatch(Look::isAway);
  }

  /**
   * The status as JSON.
   *
   * @param key as it is to be shown
   */
  String json(String key) {
    Json page = new Json().open().text("rule", limits.rule().name());
    page.text("domain", limits.rule().domain());
    page.text("key", key).truth("known", isKnown);
    page.open("buckets", '[');
    looks.forEach(look -> look.addTo(page, limits.name(look.bucket.meter())));
    return page.end(']').close().toString();
  }

  /**
   * The status of one bucket.
   *
   * @param full the time until each limit is full again; empty if the store was unavailable
   */
  private record Look(Bucket bucket, Decision decision, List<Optional<Duration>> full) {
    static CompletionStage<Look> at(Bucket bucket) {
      return bucket
          .peek()
          .thenCompose(
              decision ->
                  full(bucket, decision).thenApply(full -> new Look(bucket, decision, full)));
    }

    private static CompletionStage<List<Optional<Duration>>> full(
        Bucket bucket, Decision decision) {
      List<CompletableFuture<Optional<Duration>>> asked = new ArrayList<>();
      List<Standing> standings = decision.standings();
      for (int i = 0; i < standings.size(); i++) {
        Standing standing = standings.get(i);
        boolean isFull = standing.remaining() == standing.limit().capacity();
        asked.add(
            isFull || decision.origin() == Origin.FAILURE
                ? CompletableFuture.completedFuture(Optional.of(Duration.ZERO))
                : bucket.fullAfter(i).toCompletableFuture());
      }
      return all(asked);
    }

    boolean isAway() {
      return decision.origin() == Origin.FAILURE || full.stream().anyMatch(Optional::isEmpty);
    }

    void addTo(Json page, @Nullable String override) {
      page.begin('{');
      page.text("override", override);
      page.truth("allowed", decision.allowed());
      page.number("remaining", decision.remaining());
      page.number("retry_after_ms", Millis.orNever(decision.retryAfter()));
      page.open("limits", '[');
      for (int i = 0; i < full.size(); i++) {
        Standing standing = decision.standings().get(i);
        page.begin('{').text("limit", LimitText.of(standing.limit()));
        page.number("capacity", standing.limit().capacity());
        page.number("remaining", standing.remaining());
        page.number("retry_after_ms", Millis.orNever(standing.retryAfter()));
        page.number("reset_after_ms", Millis.of(standing.resetAfter()));
        page.number("full_after_ms", Millis.of(full.get(i).orElse(Duration.ZERO))).close();
      }
      page.end(']').close();
    }
  }
}
