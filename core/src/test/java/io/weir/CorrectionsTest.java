package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Corrections that did not reach a store, and those with an unknown outcome. */
class CorrectionsTest {
  private static final StoreUnavailableException UNDONE = new StoreUnavailableException("away");
  private static final StoreUnavailableException UNKNOWN =
      new StoreUnavailableException("silent", true);

  private final ManualTime time = TimeSource.manual();
  private final Deque<String> fates = new ArrayDeque<>();
  private final RateLimiter one = limiter();
  private final RateLimiter two = limiter();

  private RateLimiter limiter() {
    return RateLimiter.builder()
        .limit(Limit.slidingLog(100).perHour())
        .time(time)
        .store(limiterSpec -> new Fickle(Store.memory().open(limiterSpec), fates))
        .build();
  }

  private static CompletableFuture<Void> stage(String fate) {
    return switch (fate) {
      case "done" -> CompletableFuture.completedFuture(null);
      case "undone" -> CompletableFuture.failedFuture(UNDONE);
      case "unknown" -> CompletableFuture.failedFuture(UNKNOWN);
      default -> CompletableFuture.failedFuture(new IllegalStateException("a bug"));
    };
  }

  /** The outcome of a stage in one word. */
  private static String outcome(CompletionStage<Void> stage) {
    CompletableFuture<Void> future = stage.toCompletableFuture();
    assertThat(future).isDone();
    try {
      future.join();
      return "done";
    } catch (CompletionException e) {
      return e.getCause() instanceof StoreUnavailableException known
          ? known.isInDoubt() ? "unknown" : "undone"
          : "broken";
    }
  }

  @ParameterizedTest
  @CsvSource({
    "done done,      done,    done",
    "undone,         undone,  undone",
    "undone undone,  undone,  undone",
    "done undone,    undone,  unknown",
    "undone done,    undone,  unknown",
    "done unknown,   unknown, unknown",
    "unknown undone, undone,  unknown",
    "done broken,    broken,  broken",
    "broken unknown, broken,  broken",
    "broken undone,  undone,  broken",
  })
  void settlesReceiptsTogether(String fates, String repeatable, String once) {
    List<CompletableFuture<Void>> stages = new ArrayList<>();
    for (String fate : fates.split(" ")) {
      stages.add(stage(fate));
    }
    assertThat(outcome(Corrections.repeatable(stages))).isEqualTo(repeatable);
    assertThat(outcome(Corrections.once(stages))).isEqualTo(once);
  }

  @Test
  void reportsNothingBeforeAllHaveEnded() {
    CompletableFuture<Void> late = new CompletableFuture<>();
    CompletionStage<Void> all = Corrections.once(List.of(stage("undone"), late));
    assertThat(all.toCompletableFuture()).isNotDone();
    late.complete(null);
    assertThat(outcome(all)).isEqualTo("unknown");
    assertThat(outcome(Corrections.once(List.of()))).isEqualTo("done");
  }

  @Test
  void aReservationThatWasNotSettledCanBeSettledOnce() {
    Reservation place = one.reserve("k", 10, Duration.ZERO);
    fates.add("undone");
    assertThat(outcome(place.settleAsync(4))).isEqualTo("undone");
    assertThat(one.peek("k").remaining()).isEqualTo(90);
    assertThat(outcome(place.settleAsync(4))).isEqualTo("done");
    assertThat(outcome(place.settleAsync(1))).isEqualTo("done");
    assertThat(one.peek("k").remaining()).isEqualTo(96);
  }

  @Test
  void reservationOfUnknownOutcomeIsNotSettledTwice() {
    Reservation place = one.reserve("k", 10, Duration.ZERO);
    fates.add("unknown");
    assertThat(outcome(place.settleAsync(4))).isEqualTo("unknown");
    assertThat(outcome(place.settleAsync(4))).isEqualTo("done");
    assertThat(one.peek("k").remaining()).as("it may have been done").isEqualTo(90);
  }

  @Test
  void onlyWhatWasNotCorrectedIsCorrectedAgain() {
    Receipts receipts = takeBoth();
    fates.addAll(List.of("done", "undone"));
    assertThat(outcome(receipts.settleAsync(i -> 4))).isEqualTo("undone");
    assertThat(left()).containsExactly(96L, 90L);
    assertThat(outcome(receipts.settleAsync(i -> 4))).isEqualTo("done");
    assertThat(outcome(receipts.settleAsync(i -> 1))).isEqualTo("done");
    assertThat(left()).containsExactly(96L, 96L);
  }

  @Test
  void unknownOutcomeStaysUnknown() {
    Receipts receipts = takeBoth();
    fates.addAll(List.of("unknown", "undone"));
    assertThat(outcome(receipts.settleAsync(i -> 4))).isEqualTo("undone");
    assertThat(outcome(receipts.settleAsync(i -> 4))).isEqualTo("unknown");
    assertThat(left()).containsExactly(90L, 96L);
    assertThat(outcome(receipts.settleAsync(i -> 4))).isEqualTo("unknown");
    assertThat(left()).containsExactly(90L, 96L);
  }

  /** What has corrected nothing can be settled at another cost. */
  @ParameterizedTest
  @CsvSource({
    "undone undone,  undone,  false",
    "done undone,    undone,  true",
    "undone done,    undone,  true",
    "unknown undone, undone,  true",
    "unknown done,   unknown, true",
    "done done,      done,    true",
    "thrown done,    broken,  true",
    "thrown undone,  undone,  true",
  })
  void whetherAnythingWasCorrected(String each, String together, boolean isTouched) {
    Receipts receipts = takeBoth();
    assertThat(receipts.areTouched()).isFalse();
    fates.addAll(List.of(each.split(" ")));
    assertThat(outcome(receipts.settleAsync(i -> 4))).isEqualTo(together);
    assertThat(receipts.areTouched()).isEqualTo(isTouched);
    assertThat(fates).as("all were settled").isEmpty();
  }

  /** A refused request has nothing to repeat. */
  @Test
  void whatIsGivenBackAfterARefusalMayGetLost() {
    two.tryAcquire("k", 100);
    fates.add("undone");
    Decision decision =
        AsyncRateLimiter.checkAll(Charge.of(one, "k", 10), Charge.of(two, "k"))
            .toCompletableFuture()
            .join();
    assertThat(decision.allowed()).isFalse();
    assertThat(one.peek("k").remaining()).isEqualTo(90);
  }

  private Receipts takeBoth() {
    return AsyncRateLimiter.takeAll(List.of(Charge.of(one, "k", 10), Charge.of(two, "k", 10)))
        .toCompletableFuture()
        .join();
  }

  private List<Long> left() {
    return List.of(one.peek("k").remaining(), two.peek("k").remaining());
  }

  /** Remote buckets that settle as the test prescribes. */
  private static final class Fickle extends ForwardingBuckets {
    private final Deque<String> fates;

    Fickle(Buckets buckets, Deque<String> fates) {
      super(buckets);
      this.fates = fates;
    }

    @Override
    public boolean isRemote() {
      return true;
    }

    @Override
    public CompletionStage<Void> settleAsync(Receipt receipt, long actualCost) {
      String fate = fates.isEmpty() ? "done" : fates.remove();
      if (fate.equals("thrown")) {
        throw new IllegalStateException("a bug");
      }
      if (fate.equals("done")) {
        buckets.settle(receipt, actualCost);
      }
      return stage(fate);
    }
  }
}
