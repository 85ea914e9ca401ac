package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Held;
import io.weir.rules.Ruling;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who holds what, for how long. */
class ReservationsTest {
  private static final Held HELD =
      new Held() {
        @Override
        public Ruling ruling() {
          return Ruling.of(List.of(), List.of());
        }

        @Override
        public CompletionStage<Void> settle(long actualCost) {
          return CompletableFuture.completedStage(null);
        }
      };

  private static String add(Reservations reservations, long seconds) {
    assertThat(reservations.promise()).isTrue();
    return reservations.add(HELD, 7, Duration.ofSeconds(seconds));
  }

  private static Reservations.Found.Open taken(Reservations reservations, String id) {
    Reservations.Found found = reservations.take(id);
    assertThat(found).isInstanceOf(Reservations.Found.Open.class);
    return (Reservations.Found.Open) found;
  }

  @Test
  void whatCouldNotBeSettledIsOpenUntilItsTimeIsOver() {
    AtomicLong clock = new AtomicLong();
    Reservations reservations = new Reservations(10, clock::get);
    String id = add(reservations, 10);
    Reservations.Found.Open first = taken(reservations, id);
    assertThat(first.attempted()).isNull();
    assertThat(reservations.take(id)).isInstanceOf(Reservations.Found.Settled.class);

    reservations.reopen(first, 3);
    assertThat(reservations.size()).isOne();
    Reservations.Found.Open second = taken(reservations, id);
    assertThat(second.attempted()).isEqualTo(3);
    assertThat(second.cost()).isEqualTo(7);
    reservations.reopen(second, 3);
    clock.addAndGet(Duration.ofSeconds(10).toNanos());
    assertThat(reservations.take(id)).isInstanceOf(Reservations.Found.Unknown.class);
  }

  /** A clock of nanoseconds may start anywhere, and pass the greatest number. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 1_500_000_000L, Long.MAX_VALUE})
  void eachEndsInItsTime(long origin) {
    AtomicLong clock = new AtomicLong(origin);
    Reservations reservations = new Reservations(10, clock::get);
    String three = add(reservations, 3);
    String one = add(reservations, 1);
    String two = add(reservations, 2);
    String alsoTwo = add(reservations, 2);

    clock.addAndGet(Duration.ofSeconds(2).toNanos() - 1);
    assertThat(reservations.size()).isEqualTo(3);
    assertThat(reservations.take(one)).isInstanceOf(Reservations.Found.Unknown.class);
    assertThat(taken(reservations, two).cost()).isEqualTo(7);
    assertThat(reservations.take(two)).isInstanceOf(Reservations.Found.Settled.class);
    clock.addAndGet(1);
    assertThat(reservations.take(alsoTwo)).isInstanceOf(Reservations.Found.Unknown.class);
    assertThat(taken(reservations, three).held()).isSameAs(HELD);
    assertThat(reservations.size()).isZero();
  }

  @Test
  void thereIsRoomForSoMany() {
    AtomicLong clock = new AtomicLong();
    Reservations reservations = new Reservations(3, clock::get);
    String first = add(reservations, 10);
    add(reservations, 20);
    assertThat(reservations.promise()).isTrue(); // the third, promised but not taken
    assertThat(reservations.promise()).isFalse();
    reservations.giveUp();
    add(reservations, 30);
    assertThat(reservations.promise()).isFalse();

    reservations.take(first);
    add(reservations, 40);
    assertThat(reservations.promise()).isFalse();
    clock.addAndGet(Duration.ofSeconds(20).toNanos());
    assertThat(reservations.promise()).isTrue();
    assertThat(reservations.promise()).isFalse();
  }

  @Test
  void whatWasSettledIsRememberedForAWhile() {
    Reservations reservations = new Reservations(100, () -> 0);
    String old = add(reservations, 1);
    reservations.take(old);
    for (int i = 0; i < 99; i++) {
      reservations.take(add(reservations, 1));
    }
    assertThat(reservations.take(old)).isInstanceOf(Reservations.Found.Settled.class);
    reservations.take(add(reservations, 1));
    assertThat(reservations.take(old)).isInstanceOf(Reservations.Found.Unknown.class);
  }

  @Test
  void idsAreLongAndAllDifferent() {
    Reservations reservations = new Reservations(1000, () -> 0);
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
    Reservations reservations = new Reservations(1000, System::nanoTime);
    List<String> ids = IntStream.range(0, 500).mapToObj(i -> add(reservations, 600)).toList();
    AtomicInteger open = new AtomicInteger();
    IntStream.range(0, 4000)
        .parallel()
        .forEach(
            i -> {
              if (reservations.take(ids.get(i % 500)) instanceof Reservations.Found.Open) {
                open.incrementAndGet();
              }
            });
    assertThat(open).hasValue(500);
    assertThat(reservations.size()).isZero();
  }
}
