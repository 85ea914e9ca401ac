package io.weir.algorithm;

import static io.weir.algorithm.BucketScript.play;
import static io.weir.algorithm.GcraTest.PRIME;
import static io.weir.algorithm.GcraTest.QUEUE;
import static io.weir.algorithm.GcraTest.THREE;

import io.weir.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Reservations, refunds and forced charges of token and leaky buckets, as tables. */
class GcraCorrectionsTest {
  @Test
  void reservationsReachOneRefillAhead() {
    play(
        THREE,
        """
        at    | do        | result | left | grows | reset | state
        0     | reserve 3 | 0      | 0    | 3334  | 10000 | used
        0     | reserve 1 | 3334   | 0    | 6667  | 13334 | used
        0     | reserve 2 | 10000  | 0    | 13334 | 20000 | used
        0     | reserve 1 | none   | 0    | 13334 | 20000 | used
        1     | reserve 1 | none   | 0    | 13333 | 19999 | used
        3334  | reserve 1 | 10000  | 0    | 13333 | 20000 | used
        16666 | take 1    | 1      | 0    | 1     | 6668  | used
        16667 | take 1    | ok     | 0    | 3333  | 10000 | used
        """);
  }

  @Test
  void aLeakyReservationWaitsForRoomAndThenForItsTurn() {
    play(
        QUEUE,
        """
        at | do        | result   | left | grows | reset | state
        0  | take 3    | ok       | 0    | 3334  | 10000 | used
        0  | reserve 1 | 10000    | 0    | 6667  | 13334 | used
        """);
  }

  @Test
  void aTokenBucketGivesBackOnlyWhatHasNotFlowedBack() {
    play(
        THREE,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 3 as a | ok     | 0    | 3334  | 10000 | used
        0     | cancel a    | .      | 3    | 0     | 0     | fresh
        0     | take 3 as b | ok     | 0    | 3334  | 10000 | used
        4000  | take 1      | ok     | 0    | 2667  | 9334  | used
        4000  | cancel b    | .      | 2    | 3334  | 3334  | used
        8000  | look        | .      | 3    | 0     | 0     | fresh
        10000 | take 1 as c | ok     | 2    | 3334  | 3334  | used
        10000 | take 2      | ok     | 0    | 3334  | 10000 | used
        13333 | cancel c    | .      | 1    | 3334  | 6667  | used
        20000 | take 1 as d | ok     | 2    | 3334  | 3334  | used
        20000 | take 2      | ok     | 0    | 3334  | 10000 | used
        23334 | cancel d    | .      | 1    | 3333  | 6666  | used
        40000 | take 3 as e | ok     | 0    | 3334  | 10000 | used
        40000 | settle e 1  | .      | 2    | 3334  | 3334  | used
        """);
  }

  @Test
  void aLeakyBucketGivesBackTheLastPlaceOnly() {
    play(
        QUEUE,
        """
        at    | do          | result    | left | grows | reset | state
        0     | take 1 as a | ok        | 2    | 3334  | 3334  | used
        0     | take 1 as b | ok+3334   | 1    | 3334  | 6667  | used
        0     | cancel a    | .         | 1    | 3334  | 6667  | used
        0     | cancel b    | .         | 2    | 3334  | 3334  | used
        0     | cancel a    | .         | 3    | 0     | 0     | fresh
        0     | take 1 as c | ok        | 2    | 3334  | 3334  | used
        3333  | look        | .         | 2    | 1     | 1     | used
        3334  | cancel c    | .         | 3    | 0     | 0     | fresh
        3334  | take 1      | ok        | 2    | 3334  | 3334  | used
        """);
  }

  @Test
  void aRefundNeverMakesMoreThanFull() {
    play(
        THREE,
        """
        at | do                         | result | left | grows | reset | state
        0  | take 3                     | ok     | 0    | 3334  | 10000 | used
        0  | refund 1                   | .      | 1    | 3334  | 6667  | used
        0  | refund 9                   | .      | 3    | 0     | 0     | fresh
        0  | take 3                     | ok     | 0    | 3334  | 10000 | used
        0  | refund 9223372036854775807 | .      | 3    | 0     | 0     | fresh
        0  | take 3                     | ok     | 0    | 3334  | 10000 | used
        """);
  }

  @Test
  void aForcedChargeIsOwedUpToTwoCapacities() {
    play(
        THREE,
        """
        at    | do                        | result | left | grows | reset | state
        0     | take 3                    | ok     | 0    | 3334  | 10000 | used
        0     | force 1                   | .      | 0    | 6667  | 13334 | used
        0     | force 1                   | .      | 0    | 10000 | 16667 | used
        0     | force 9223372036854775807 | .      | 0    | 13334 | 20000 | used
        0     | force 1                   | .      | 0    | 13334 | 20000 | used
        13333 | take 1                    | 1      | 0    | 1     | 6667  | used
        13334 | take 1                    | ok     | 0    | 3333  | 10000 | used
        99999 | force 1                   | .      | 2    | 3334  | 3334  | used
        """);
    play(
        PRIME,
        """
        at | do                        | result | left | grows      | reset
        0  | force 9223372036854775807 | .      | 0    | 2592000002 | 5184000000
        """);
  }

  @Test
  void aForcedDebtIsExactToThePart() {
    play(
        Limit.tokenBucket(3).per(Duration.ofSeconds(10)).burst(2),
        """
        at | do                        | result | left | grows | reset | state
        0  | take 2                    | ok     | 0    | 3334  | 6667  | used
        0  | force 9223372036854775807 | .      | 0    | 10000 | 13334 | used
        """);
  }

  /** Where one before it is cancelled, a charge has flowed back sooner than was foreseen. */
  @Test
  void noTimeIsGivenBackTwice() {
    Limit limit = Limit.tokenBucket(10).per(Duration.ofSeconds(10));
    play(
        limit,
        """
        at   | do          | result | left | grows | reset | state
        0    | take 5 as a | ok     | 5    | 1000  | 5000  | used
        0    | take 5 as b | ok     | 0    | 1000  | 10000 | used
        0    | cancel a    | .      | 5    | 1000  | 5000  | used
        5000 | take 10     | ok     | 0    | 1000  | 10000 | used
        5000 | cancel b    | .      | 0    | 1000  | 10000 | used
        """);
    play(
        limit,
        """
        at   | do          | result | left | grows | reset | state
        0    | take 5 as a | ok     | 5    | 1000  | 5000  | used
        0    | take 5 as b | ok     | 0    | 1000  | 10000 | used
        0    | cancel a    | .      | 5    | 1000  | 5000  | used
        2000 | take 3      | ok     | 4    | 1000  | 6000  | used
        2000 | cancel b    | .      | 7    | 1000  | 3000  | used
        """);
    play(
        limit,
        """
        at   | do          | result | left | grows | reset | state
        0    | take 5 as a | ok     | 5    | 1000  | 5000  | used
        0    | take 5 as b | ok     | 0    | 1000  | 10000 | used
        0    | settle a 1  | .      | 4    | 1000  | 6000  | used
        4000 | settle b 2  | .      | 9    | 1000  | 1000  | used
        """);
  }

  @Test
  void whatIsReservedFlowsBackFromItsTurnOn() {
    play(
        THREE,
        """
        at    | do             | result | left | grows | reset | state
        0     | take 3         | ok     | 0    | 3334  | 10000 | used
        0     | reserve 1 as a | 3334   | 0    | 6667  | 13334 | used
        3334  | cancel a       | .      | 1    | 3333  | 6666  | used
        20000 | take 3         | ok     | 0    | 3334  | 10000 | used
        20000 | reserve 1 as b | 3334   | 0    | 6667  | 13334 | used
        25000 | cancel b       | .      | 1    | 3333  | 6666  | used
        """);
  }

  @Test
  void whatIsGivenBackIsExactToThePart() {
    play(
        THREE,
        """
        at    | do          | result | left | grows | reset | state
        0     | take 1      | ok     | 2    | 3334  | 3334  | used
        0     | take 1 as a | ok     | 1    | 3334  | 6667  | used
        3333  | cancel a    | .      | 2    | 3334  | 3334  | used
        20000 | take 1      | ok     | 2    | 3334  | 3334  | used
        20000 | take 2 as b | ok     | 0    | 3334  | 10000 | used
        26666 | cancel b    | .      | 2    | 3334  | 3334  | used
        """);
  }
}
