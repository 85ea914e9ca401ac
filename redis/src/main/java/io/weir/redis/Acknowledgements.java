package io.weir.redis;

import io.weir.redis.Failure.Kind;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * On a connection of strict limiters: after all calls of a write it is asked which data set they
 * were made in, and how many replicas have what they did. Until both are answered, their replies
 * are held. Of the I/O thread alone.
 */
// Who waits for an answer is told of its failure.
@SuppressWarnings("FutureReturnValueIgnored")
final class Acknowledgements {
  static final Script ERA = Script.of("era");

  private static final byte[] EVAL = ascii("EVAL");
  private static final byte[] ONE_KEY = ascii("1");
  private static final byte[] WAIT = ascii("WAIT");
  private static final System.Logger LOG = System.getLogger("io.weir.redis");

  /** A reply that is not told yet. */
  private record Held(Call call, long[] reply) {}

  private final Soundness soundness;
  private final byte[] mark;
  private final int replicas;
  private final byte[] wanted;
  private final byte[] longestWait;
  private final Queue<Held> held = new ArrayDeque<>();
  private boolean isDue;
  private @Nullable Failure doubt;

  Acknowledgements(Soundness soundness, String prefix, int replicas, Duration deadline) {
    this.soundness = soundness;
    this.mark = (prefix + ":era").getBytes(StandardCharsets.UTF_8);
    this.replicas = replicas;
    this.wanted = ascii(Integer.toString(replicas));
    // Whoever waits is to hear that it was for the replicas in vain.
    this.longestWait = ascii(Long.toString(Math.max(1, deadline.toMillis() / 2)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** A call is written. */
  void wrote() {
    isDue = true;
  }

  /** A call is answered. */
  void hold(Call call, long[] reply) {
    held.add(new Held(call, reply));
  }

  /**
   * Asks for all that was written since the last time.
   *
   * @param ask writes words, and says what is answered
   */
  void ask(Function<byte[][], CompletableFuture<@Nullable Object>> ask) {
    if (!isDue) {
      return;
    }
    isDue = false;
    long sent = System.nanoTime();
    byte[] fresh = ascii(Long.toString(ThreadLocalRandom.current().nextLong(1, 1L << 53)));
    byte[] givenUp = ascii(Long.toString(soundness.givenUp()));
    CompletableFuture<@Nullable Object> era =
        ask.apply(new byte[][] {EVAL, ERA.text(), ONE_KEY, mark, fresh, givenUp});
    if (replicas == 0) {
      era.whenComplete((told, lost) -> tell(doubt(sent, told, lost)));
      return;
    }
    era.whenComplete((told, lost) -> doubt = doubt(sent, told, lost));
    ask.apply(new byte[][] {WAIT, wanted, longestWait})
        .whenComplete((told, lost) -> tell(doubt == null ? missing(told, lost) : doubt));
  }

  private @Nullable Failure doubt(long sent, @Nullable Object told, @Nullable Throwable lost) {
    if (told instanceof List<?> numbers
        && numbers.size() == 3
        && numbers.get(0) instanceof Long era
        && numbers.get(1) instanceof Long marked
        && numbers.get(2) instanceof Long micros) {
      return soundness.heard(sent, era, marked, micros)
          ? null
          : new Failure(Kind.TIMEOUT, "it took too long to tell what time it is");
    }
    return failure("which data set it has", told, lost);
  }

  private @Nullable Failure missing(@Nullable Object told, @Nullable Throwable lost) {
    if (told instanceof Long have) {
      return have >= replicas
          ? null
          : new Failure(Kind.UNREPLICATED, have + " of " + replicas + " replicas have it");
    }
    return failure("how many replicas have it", told, lost);
  }

  private static Failure failure(String what, @Nullable Object told, @Nullable Throwable lost) {
    if (lost != null) {
      return Dialer.failure("Redis", lost);
    }
    return told instanceof ErrorReply error
        ? error.failure()
        : new Failure(Kind.OTHER, "it does not tell " + what);
  }

  private void tell(@Nullable Failure failure) {
    for (Held next = held.poll(); next != null; next = held.poll()) {
      try {
        if (failure == null) {
          next.call.answer(next.reply);
        } else {
          next.call.fail(failure);
        }
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "a reply could not be handed over", e);
      }
    }
  }
}
