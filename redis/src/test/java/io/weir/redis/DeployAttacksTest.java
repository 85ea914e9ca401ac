package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.TimeSource;
import io.weir.tck.Harness;
import io.weir.tck.InputGenerator;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ObservedDecision;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three nodes, each with up to three limits from the whole range, that share some of their buckets
 * and not others. Nodes change their limits while reservations are open, and the clock may go back.
 * Every decision is the model's.
 *
 * <p>{@code -Dweir.tck.seed=42} runs one story alone, {@code -Dweir.tck.runs=10} ten times as many.
 */
@Tag("slow")
class DeployAttacksTest {
  private static final int NODES = 3;
  private static final int STEPS = 80;
  private static final int SEEDS = 120;
  private static final int SHOWN_STEPS = 60;
  private static final long END =
      Duration.ofDays(365 * 80).toNanos(); // 50 years ahead are before 2109

  private static final ManualTime TIME = TimeSource.manual();

  @RegisterExtension private static final NodeStores STORES = new NodeStores(NODES, TIME);

  private static int names;

  @TestFactory
  Stream<DynamicTest> nodesThatChangeTheirLimitsEqualTheModel() {
    Long one = Long.getLong("weir.tck.seed");
    LongStream seeds =
        one == null
            ? LongStream.range(0, SEEDS * Long.getLong("weir.tck.runs", 1))
            : LongStream.of(one);
    return seeds.mapToObj(
        seed -> DynamicTest.dynamicTest("seed " + seed, () -> new Story(seed).run()));
  }

  private static final class Story {
    private final long seed;
    private final InputGenerator inputGenerator;
    private final List<List<Limit>> limits = new ArrayList<>();
    private final List<RateLimiter> nodes = new ArrayList<>();
    private final List<ReferenceLimiter> models = new ArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private final Set<Limit> everyLimit = new HashSet<>();
    private ObservedDecision last;
    private boolean mayGoBack;

    Story(long seed) {
      this.seed = seed;
      inputGenerator = new InputGenerator(seed);
      TIME.setNanos(Harness.MIDNIGHT);
      List<Limit> first = inputGenerator.limits();
      ReferenceLimiter model = new ReferenceLimiter(first, Takeover.WHEN_WRITTEN);
      String name = "attack-" + names++;
      for (RedisStore store : STORES.all()) {
        List<Limit> mine = nodes.isEmpty() ? first : inputGenerator.instead(first);
        RateLimiter.Builder builder = RateLimiter.builder().store(store).name(name);
        mine.forEach(builder::limit);
        limits.add(mine);
        everyLimit.addAll(mine);
        nodes.add(builder.build());
        models.add(model.beside(mine));
      }
      last = model.peek("key", 1, now());
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        move();
        step((int) inputGenerator.between(0, NODES - 1));
      }
    }

    private static Fraction now() {
      return ReferenceLimiter.nanos(TIME.epochNanos());
    }

    private void move() {
      long micros = inputGenerator.stepNanos(inputGenerator.of(inputGenerator.of(limits))) / 1000;
      if (inputGenerator.oneIn(3)) {
        long wait = last.retryAfter().orElse(Duration.ZERO).toNanos() / 1000;
        micros = Math.max(0, wait - 1000 * inputGenerator.between(0, 1));
      } else if (mayGoBack && inputGenerator.oneIn(6)) {
        micros = -micros;
      }
      TIME.setNanos(Math.min(END, TIME.epochNanos() + 1000 * micros));
    }

    private void step(int which) {
      RateLimiter node = nodes.get(which);
      ReferenceLimiter model = models.get(which);
      long cost = inputGenerator.cost(inputGenerator.of(limits));
      mayGoBack = false;
      switch ((int) inputGenerator.between(0, 15)) {
        case 0, 1 -> {
          note("peek " + cost, which);
          agree(ObservedDecision.of(node.peek("key", cost)), model.peek("key", cost, now()));
        }
        case 2 -> {
          note("refund " + cost, which);
          node.refund("key", cost);
          model.refund("key", cost, now());
        }
        case 3, 4 -> reserve(which, cost);
        case 5, 6 -> {
          if (!ends.isEmpty()) {
            ends.remove((int) inputGenerator.between(0, ends.size() - 1)).run();
          }
        }
        case 7 -> {
          List<Limit> changed = inputGenerator.instead(limits.get(which));
          note("change to " + changed, which);
          limits.set(which, changed);
          everyLimit.addAll(changed);
          node.reconfigure(
              changed.get(0), changed.subList(1, changed.size()).toArray(Limit[]::new));
          model.reconfigure(changed, now());
        }
        default -> {
          note("check " + cost, which);
          ObservedDecision observedDecision = ObservedDecision.of(node.check("key", cost));
          agree(observedDecision, model.check("key", cost, now()));
          mayGoBack = cost > 0 && observedDecision.allowed() && hasAllBuckets(which);
        }
      }
    }

    /**
     * The clock goes back only where every bucket was just charged: what is as good as new by the
     * latest time may be forgotten, and does not come back with the clock.
     */
    private boolean hasAllBuckets(int which) {
      return everyLimit.stream()
          .allMatch(each -> limits.get(which).stream().anyMatch(each::sharesBucketsWith));
    }

    private void reserve(int which, long cost) {
      Duration maxWait =
          inputGenerator.oneIn(3)
              ? Limit.MAX_PERIOD
              : Duration.ofNanos(inputGenerator.stepNanos(inputGenerator.of(limits.get(which))));
      note("reserve " + cost + " within " + maxWait, which);
      Reservation reservation = nodes.get(which).reserve("key", cost, maxWait);
      ReferenceLimiter.Receipt receipt = models.get(which).reserve("key", cost, maxWait, now());
      agree(ObservedDecision.of(reservation.decision()), receipt.observedDecision());
      long actual =
          switch ((int) inputGenerator.between(0, 3)) {
            case 0 -> inputGenerator.between(0, cost);
            case 1 -> inputGenerator.cost(limits.get(which));
            default -> 0;
          };
      if (reservation.granted()) {
        ends.add(
            () -> {
              note("settle " + cost + " to " + actual, which);
              reservation.settle(actual);
              receipt.settle(actual, now());
            });
      }
    }

    private void note(String verb, int which) {
      steps.add(verb + " by " + limits.get(which) + " at " + TIME.epochNanos() / 1000);
    }

    private void agree(ObservedDecision actual, ObservedDecision expected) {
      assertThat(actual).as(this::text).isEqualTo(expected);
      last = expected;
    }

    private String text() {
      int from = Math.max(0, steps.size() - SHOWN_STEPS);
      return "seed "
          + seed
          + ", after "
          + from
          + " more steps:\n"
          + String.join("\n", steps.subList(from, steps.size()));
    }
  }
}
