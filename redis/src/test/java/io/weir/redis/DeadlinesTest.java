package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls end when they are due, and not before; those that have ended are let go of. */
@Timeout(60)
class DeadlinesTest {
  private static final Script SCRIPT = Script.of("nodes");
  private static final long MILLI = 1_000_000;

  private final Duration deadline = Duration.ofMillis(10);

  @ParameterizedTest(name = "clock begins at {0}")
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - 5 * MILLI, 123_456_789_012L})
  void callsEndWhenTheyAreDueInVirtualTime(long origin) {
    try (Deadlines deadlines = Deadlines.byHand(deadline)) {
      List<Waiting> calls = new ArrayList<>();
      for (int i = 0; i < 5000; i++) {
        calls.add(new Waiting(origin + i * MILLI / 10));
        deadlines.watch(calls.get(i));
        if (i % 3 == 0) {
          calls.get(i).complete(new long[0]);
        }
      }
      for (int now = 0; now < 520; now++) {
        long rest = deadlines.expire(origin + now * MILLI);
        for (int i = 0; i < calls.size(); i++) {
          boolean due = i * MILLI / 10 + deadline.toNanos() <= now * MILLI;
          Waiting call = calls.get(i);
          assertThat(call.failures)
              .as("call %d at %d", i, now)
              .isEqualTo(due && i % 3 != 0 ? 1 : 0);
        }
        long oldest = Math.max(0, (now - 10) * 10L + 1);
        long next = oldest % 3 == 0 ? oldest + 1 : oldest;
        long expected =
            next < 5000 && now >= 10
                ? next * MILLI / 10 + deadline.toNanos() - now * MILLI
                : deadline.toNanos();
        if (now >= 10) {
          assertThat(rest).as("at %d", now).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void callsOfManyThreadsEndOnceAndNotTooEarly() throws InterruptedException {
    int threads = 8;
    int each = 5000;
    CountDownLatch ended = new CountDownLatch(threads * each);
    AtomicLong earliest = new AtomicLong(Long.MAX_VALUE);
    AtomicInteger twice = new AtomicInteger();
    try (Deadlines deadlines = new Deadlines(deadline)) {
      List<Thread> crew = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    Waiting call =
                        new Waiting(System.nanoTime()) {
                          @Override
                          void onFailure(RedisFailure redisFailure) {
                            super.onFailure(redisFailure);
                            long took = System.nanoTime() - sentNanos();
                            earliest.accumulateAndGet(took, Math::min);
                            twice.addAndGet(failures - 1);
                            ended.countDown();
                          }
                        };
                    deadlines.watch(call);
                  }
                });
        crew.add(thread);
        thread.start();
      }
      for (Thread thread : crew) {
        thread.join();
      }
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(earliest.get()).isGreaterThanOrEqualTo(deadline.toNanos());
    assertThat(twice).hasValue(0);
  }

  @Test
  void wakesUpForACallAfterALongSleep() throws InterruptedException {
    try (Deadlines deadlines = new Deadlines(deadline)) {
      for (int round = 0; round < 3; round++) {
        CountDownLatch ended = new CountDownLatch(1);
        deadlines.watch(
            new Waiting(System.nanoTime()) {
              @Override
              void onFailure(RedisFailure redisFailure) {
                assertThat(redisFailure.kind()).isEqualTo(RedisFailure.Kind.TIMEOUT);
                ended.countDown();
              }
            });
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        await(deadlines::isAsleep);
      }
    }
  }

  @Test
  void idlesAndReleasesEndedCalls() throws InterruptedException {
    try (Deadlines deadlines = new Deadlines(deadline)) {
      List<WeakReference<ScriptCall>> gone = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        Waiting call = new Waiting(System.nanoTime());
        deadlines.watch(call);
        call.complete(new long[0]);
        gone.add(new WeakReference<>(call));
      }
      await(deadlines::isAsleep);
      await(
          () -> {
            System.gc();
            return gone.stream().allMatch(each -> each.get() == null);
          });
    }
  }

  /** With a deadline of seconds, ended calls behind an open one would fill the heap. */
  @Test
  void keepsNoEndedCallBehindAnOpenOne() throws InterruptedException {
    try (Deadlines deadlines = new Deadlines(Duration.ofHours(1))) {
      Waiting open = new Waiting(System.nanoTime());
      deadlines.watch(open);
      List<WeakReference<ScriptCall>> gone = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        Waiting call = new Waiting(System.nanoTime());
        deadlines.watch(call);
        call.complete(new long[0]);
        gone.add(new WeakReference<>(call));
      }
      Waiting last = new Waiting(System.nanoTime());
      deadlines.watch(last);
      await(
          () -> {
            System.gc();
            return gone.stream().allMatch(each -> each.get() == null);
          });
      deadlines.close();
      await(() -> open.hasEnded() && last.hasEnded());
    }
  }

  @Test
  void throwingCallbackDoesNotAffectOtherDeadlines() throws InterruptedException {
    try (Deadlines deadlines = new Deadlines(deadline)) {
      CountDownLatch ended = new CountDownLatch(1);
      deadlines.watch(
          new Waiting(System.nanoTime()) {
            @Override
            void onFailure(RedisFailure redisFailure) {
              throw new IllegalStateException("a test's");
            }
          });
      deadlines.watch(
          new Waiting(System.nanoTime()) {
            @Override
            void onFailure(RedisFailure redisFailure) {
              ended.countDown();
            }
          });
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void endsAllWhenItIsClosed() throws InterruptedException {
    Deadlines deadlines = new Deadlines(Duration.ofHours(1));
    List<Waiting> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(new Waiting(System.nanoTime()));
      deadlines.watch(calls.get(i));
    }
    deadlines.close();
    await(() -> calls.stream().allMatch(ScriptCall::hasEnded));
    Waiting tooLate = new Waiting(System.nanoTime());
    deadlines.watch(tooLate);
    assertThat(tooLate.hasEnded()).isTrue();
    await(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(deadlines::isThread));
  }

  private static void await(Condition condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(5);
    }
  }

  private interface Condition {
    boolean holds();
  }

  /** A call that counts how often it has failed. */
  private static class Waiting extends ScriptCall {
    int failures;

    Waiting(long sentNanos) {
      super(SCRIPT, new byte[][] {{1}}, new byte[0][]);
      sentAt(sentNanos);
    }

    @Override
    void onReply(long[] reply) {}

    @Override
    void onFailure(RedisFailure redisFailure) {
      failures++;
    }
  }
}
