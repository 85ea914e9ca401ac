package io.weir.server.admin;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.insight.CallerBuckets;
import io.weir.insight.whatif.LimitFormatter;
import io.weir.rules.RuleBucket;
import io.weir.rules.http.JsonWriter;
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
final class KeyState {
  private final RuleLimits ruleLimits;
  private final boolean isKnown;
  private final List<BucketState> bucketStates;

  private KeyState(RuleLimits ruleLimits, boolean isKnown, List<BucketState> bucketStates) {
    this.ruleLimits = ruleLimits;
    this.isKnown = isKnown;
    this.bucketStates = bucketStates;
  }

  /** Peeks at the buckets. */
  static CompletionStage<KeyState> of(RuleLimits ruleLimits, CallerBuckets callerBuckets) {
    List<CompletableFuture<BucketState>> looks =
        callerBuckets.ruleBuckets().stream()
            .map(BucketState::at)
            .map(CompletionStage::toCompletableFuture)
            .toList();
    return all(looks)
        .thenApply(states -> new KeyState(ruleLimits, callerBuckets.isKnown(), states));
  }

  private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> some) {
    return CompletableFuture.allOf(some.toArray(new CompletableFuture<?>[0]))
        .thenApply(any -> some.stream().map(CompletableFuture::join).toList());
  }

  /** Whether the store was unavailable. */
  boolean isAway() {
    return bucketStates.stream().anyMatch(BucketState::isAway);
  }

  /**
   * The status as JSON.
   *
   * @param key as it is to be shown
   */
  String json(String key) {
    JsonWriter page = new JsonWriter().open().text("rule", ruleLimits.rule().name());
    page.text("domain", ruleLimits.rule().domain());
    page.text("key", key).truth("known", isKnown);
    page.open("buckets", '[');
    bucketStates.forEach(
        bucketState ->
            bucketState.addTo(page, ruleLimits.name(bucketState.ruleBucket.limitGroup())));
    return page.end(']').close().toString();
  }

  /**
   * The status of one bucket.
   *
   * @param full the time until each limit is full again; empty if the store was unavailable
   */
  private record BucketState(
      RuleBucket ruleBucket, Decision decision, List<Optional<Duration>> full) {
    static CompletionStage<BucketState> at(RuleBucket ruleBucket) {
      return ruleBucket
          .peek()
          .thenCompose(
              decision ->
                  full(ruleBucket, decision)
                      .thenApply(full -> new BucketState(ruleBucket, decision, full)));
    }

    private static CompletionStage<List<Optional<Duration>>> full(
        RuleBucket ruleBucket, Decision decision) {
      List<CompletableFuture<Optional<Duration>>> waits = new ArrayList<>();
      List<LimitStatus> standings = decision.standings();
      for (int i = 0; i < standings.size(); i++) {
        LimitStatus limitStatus = standings.get(i);
        boolean isFull = limitStatus.remaining() == limitStatus.limit().capacity();
        waits.add(
            isFull || decision.origin() == Origin.FAILURE
                ? CompletableFuture.completedFuture(Optional.of(Duration.ZERO))
                : ruleBucket.fullAfter(i).toCompletableFuture());
      }
      return all(waits);
    }

    boolean isAway() {
      return decision.origin() == Origin.FAILURE || full.stream().anyMatch(Optional::isEmpty);
    }

    void addTo(JsonWriter page, @Nullable String override) {
      page.begin('{');
      page.text("override", override);
      page.truth("allowed", decision.allowed());
      page.number("remaining", decision.remaining());
      page.number("retry_after_ms", Millis.orNever(decision.retryAfter()));
      page.open("limits", '[');
      for (int i = 0; i < full.size(); i++) {
        LimitStatus limitStatus = decision.standings().get(i);
        page.begin('{').text("limit", LimitFormatter.of(limitStatus.limit()));
        page.number("capacity", limitStatus.limit().capacity());
        page.number("remaining", limitStatus.remaining());
        page.number("retry_after_ms", Millis.orNever(limitStatus.retryAfter()));
        page.number("reset_after_ms", Millis.of(limitStatus.resetAfter()));
        page.number("full_after_ms", Millis.of(full.get(i).orElse(Duration.ZERO))).close();
      }
      page.end(']').close();
    }
  }
}
