package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.StoreUnavailableException;
import io.weir.TimeSource;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which reservations are held, and for how long. */
class ReservationsTest {
  private static final long WRONG = 666;
  private static final long MUCH = 1 << 30;
  private static final long BYTES = 10;

  private static final HeldCharge HELD = new ByHand();

  /** A held charge in a store that responds when the test makes it. */
  private static final class ByHand implements HeldCharge {
    private CompletionStage<Void> refund = CompletableFuture.completedStage(null);
    private boolean isTouched;

    @Override
    public RequestDecision requestDecision() {
      return RequestDecision.of(List.of(), List.of());
    }

    @Override
    public CompletionStage<Void> settle(long actualCost) {
      if (actualCost == WRONG) {
        throw new IllegalArgumentException("wrong");
      }
      return refund;
    }

    @Override
    public boolean isTouched() {
      return isTouched;
    }
  }

  private static String add(Reservations reservations, long seconds) {
    return add(reservations, HELD, seconds);
  }

  private static String add(Reservations reservations, HeldCharge heldCharge, long seconds) {
    assertThat(reservations.promise(BYTES)).isTrue();
    return reservations.add(heldCharge, BYTES, BYTES, 7, Duration.ofSeconds(seconds));
  }

  private static Reservations.Found.Open taken(Reservations reservations, String id) {
    Reservations.Found found = reservations.take(id, 3);
    assertThat(found).isInstanceOf(Reservations.Found.Open.class);
    return (Reservations.Found.Open) found;
  }

  private static void settle(Reservations reservations, String id) {
    assertThat(reservations.settle(taken(reservations, id), 3)).isCompleted();
  }

  private static String found(Reservations reservations, String id, long cost) {
    return reservations.take(id, cost).getClass().getSimpleName();
  }

  @ParameterizedTest(name = "{0}, {1}: {2}")
  @CsvSource({
    "done,     true,  Settled, Settled",
    "undone,   false, Open,    Open",
    "undone,   true,  Open,    Begun",
    "in doubt, true,  Settled, Settled",
    "a bug,    false, Settled, Settled",
    "wrapped,  false, Open,    Open",
  })
  void reportsReservationThatIsBeingSettled(
      String end, boolean isTouched, String same, String another) {
    for (long cost : new long[] {3, 4}) {
      Reservations reservations = new Reservations(1, MUCH, () -> 0);
      ByHand held = new ByHand();
      String id = add(reservations, held, 10);
      CompletableFuture<Void> refund = new CompletableFuture<>();
      held.refund = refund;
      CompletionStage<Void> settling = reservations.settle(taken(reservations, id), 3);
      assertThat(found(reservations, id, 3)).isEqualTo("BeingSettled");
      assertThat(found(reservations, id, 0)).isEqualTo("BeingSettled");
      assertThat(reservations.promise(BYTES)).as("room for another").isFalse();

      held.isTouched = isTouched;
      RuntimeException undone = new StoreUnavailableException("away");
      switch (end) {
        case "done" -> refund.complete(null);
        case "undone" -> refund.completeExceptionally(undone);
        case "wrapped" -> refund.completeExceptionally(new CompletionException(undone));
        case "in doubt" ->
            refund.completeExceptionally(new StoreUnavailableException("silent", true));
        default -> refund.completeExceptionally(new IllegalStateException("a bug"));
      }
      assertThat(settling).isDone();
      assertThat(found(reservations, id, cost)).isEqualTo(cost == 3 ? same : another);
    }
  }

  @Test
  void invalidSettlementLeavesReservationOpen() {
    Reservations reservations = new Reservations(10, MUCH, () -> 0);
    String id = add(reservations, 10);
    Reservations.Found.Open open = taken(reservations, id);
    assertThatThrownBy(() -> reservations.settle(open, WRONG)).hasMessage("wrong");
    settle(reservations, id);
    assertThat(found(reservations, id, 3)).isEqualTo("Settled");
  }

  @Test
  void failedSettlementStaysOpenUntilItExpires() {
    AtomicLong clock = new AtomicLong();
    Reservations reservations = new Reservations(10, MUCH, clock::get);
    ByHand held = new ByHand();
    held.refund = CompletableFuture.failedStage(new StoreUnavailableException("away"));
    String id = add(reservations, held, 10);
    reservations.settle(taken(reservations, id), 3);
    assertThat(reservations.size()).isOne();
    Reservations.Found.Open second = taken(reservations, id);
    assertThat(second.cost()).isEqualTo(7);
    clock.addAndGet(Duration.ofSeconds(10).toNanos());
    assertThat(found(reservations, id, 3)).as("in hand").isEqualTo("BeingSettled");
    reservations.settle(second, 3);
    assertThat(found(reservations, id, 3)).isEqualTo("Unknown");
  }

  /** A clock of nanoseconds may start anywhere, and pass the greatest number. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 1_500_000_000L, Long.MAX_VALUE})
  void eachEndsInItsTime(long origin) {
    AtomicLong clock = new AtomicLong(origin);
    Reservations reservations = new Reservations(10, MUCH, clock::get);
    String three = add(reservations, 3);
    String one = add(reservations, 1);
    String two = add(reservations, 2);
    String alsoTwo = add(reservations, 2);

    clock.addAndGet(Duration.ofSeconds(2).toNanos() - 1);
    assertThat(reservations.size()).isEqualTo(3);
    assertThat(found(reservations, one, 3)).isEqualTo("Unknown");
    settle(reservations, two);
    assertThat(found(reservations, two, 3)).isEqualTo("Settled");
    clock.addAndGet(1);
    assertThat(found(reservations, alsoTwo, 3)).isEqualTo("Unknown");
    assertThat(taken(reservations, three).heldCharge()).isSameAs(HELD);
    assertThat(reservations.size()).isZero();
  }

  @Test
  void boundsTheNumberOfReservations() {
    AtomicLong clock = new AtomicLong();
    Reservations reservations = new Reservations(3, MUCH, clock::get);
    String first = add(reservations, 10);
    add(reservations, 20);
    assertThat(reservations.promise(BYTES)).isTrue(); // the third, promised but not taken
    assertThat(reservations.promise(BYTES)).isFalse();
    reservations.giveUp(BYTES);
    add(reservations, 30);
    assertThat(reservations.promise(BYTES)).isFalse();

    settle(reservations, first);
    add(reservations, 40);
    assertThat(reservations.promise(BYTES)).isFalse();
    clock.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(reservations.promise(BYTES)).isTrue();
    assertThat(reservations.promise(BYTES)).isFalse();
  }

  @Test
  void boundsTheBytesOfReservations() {
    AtomicLong clock = new AtomicLong();
    Reservations reservations = new Reservations(100, 3 * BYTES, clock::get);
    String first = add(reservations, 10);
    add(reservations, 20);
    assertThat(reservations.promise(2 * BYTES)).as("more than is left").isFalse();
    assertThat(reservations.promise(BYTES)).isTrue();
    assertThat(reservations.promise(1)).isFalse();
    reservations.giveUp(BYTES);

    ByHand undone = new ByHand();
    undone.refund = CompletableFuture.failedStage(new StoreUnavailableException("away"));
    String open = add(reservations, undone, 20);
    reservations.settle(taken(reservations, open), 3);
    assertThat(reservations.promise(1)).as("open again").isFalse();

    settle(reservations, first);
    add(reservations, 40);
    assertThat(reservations.promise(1)).isFalse();
    clock.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(reservations.promise(2 * BYTES)).as("two have run out").isTrue();
    assertThat(reservations.promise(1)).isFalse();
  }

  @Test
  void countsBytesOfLongKeys() {
    long small = Reservations.bytes(Map.of("user", "42"));
    assertThat(small).isBetween(1000L, 1100L);
    assertThat(Reservations.bytes(Map.of("user", "x".repeat(60_000))) - small)
        .isBetween(120_000L, 240_000L);
  }

  @Test
  void keepsSettledIdsForAWhile() {
    Reservations reservations = new Reservations(100, MUCH, () -> 0);
    String old = add(reservations, 1);
    settle(reservations, old);
    for (int i = 0; i < 99; i++) {
      settle(reservations, add(reservations, 1));
    }
    assertThat(found(reservations, old, 3)).isEqualTo("Settled");
    settle(reservations, add(reservations, 1));
    assertThat(found(reservations, old, 3)).isEqualTo("Unknown");
  }

  @Test
  void idsAreLongAndAllDifferent() {
    Reservations reservations = new Reservations(1000, MUCH, () -> 0);
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      String id = add(reservations, 1);
      assertThat(id).matches("[A-Za-z0-9_-]{22}");
      ids.add(id);
    }
    assertThat(ids).hasSize(1000);
  }

  @Test
  void onlyOneOfManySettles() {
    Reservations reservations = new Reservations(1000, MUCH, System::nanoTime);
    List<String> ids = IntStream.range(0, 500).mapToObj(i -> add(reservations, 600)).toList();
    AtomicInteger open = new AtomicInteger();
    IntStream.range(0, 4000)
        .parallel()
        .forEach(
            i -> {
              if (reservations.take(ids.get(i % 500), 3) instanceof Reservations.Found.Open) {
                open.incrementAndGet();
              }
            });
    assertThat(open).hasValue(500);
    assertThat(reservations.size()).isZero();
  }

  /** Each rule per several attributes has a text of its own for them. */
  @Test
  void countsKeyOfEachRule() {
    String value = "v".repeat(10_000);
    Map<String, String> attributes = Map.of("user", value, "x", value);
    String rules =
        IntStream.range(0, 10)
            .mapToObj(i -> "  - { name: r" + i + ", per: [user, x], limit: 5 per hour }\n")
            .collect(Collectors.joining("", "rules:\n", ""));
    RequestLimiter limiter =
        RequestLimiter.builder(Service.rules(rules)).time(TimeSource.manual()).build();
    HeldCharge heldCharge = limiter.hold(attributes::get).toCompletableFuture().join();
    assertThat(heldCharge.requestDecision().ruleDecisions()).hasSize(10);

    long chars = 10 * 20_000 + 20_000;
    assertThat(Reservations.bytes(attributes, heldCharge.requestDecision()))
        .isGreaterThan(Character.BYTES * chars);
  }

  /** What a reservation takes is known when its rules are. */
  @Test
  void countsWhatIsHeldInPlaceOfWhatWasPromised() {
    Reservations reservations = new Reservations(100, 10 * BYTES, () -> 0);
    assertThat(reservations.promise(BYTES)).isTrue();
    String id = reservations.add(HELD, BYTES, 9 * BYTES, 7, Duration.ofSeconds(10));
    assertThat(reservations.promise(2 * BYTES)).isFalse();
    reservations.settle(taken(reservations, id), 3);
    assertThat(reservations.promise(10 * BYTES)).isTrue();
  }
}
