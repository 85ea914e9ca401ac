package io.weir.redis;

import io.weir.redis.Failure.Kind;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
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

  private static final Failure NOT_ASKED =
      new Failure(Kind.OTHER, "it was not asked which data set it has");

  private static final Failure LATE =
      new Failure(Kind.TIMEOUT, "it took too long until all was acknowledged");

  /** A reply that is not told yet. */
  private record Held(Call call, long[] reply) {}

  private final Soundness soundness;
  private final byte[] mark;
  private final int replicas;
  private final byte[] wanted;
  private final byte[] longestWait;
  private final Queue<Held> held = new ArrayDeque<>();
  private boolean isDue;
  private int asked; // and not answered
  private long chargedMicros;
  private @Nullable Failure doubt = NOT_ASKED;

  Acknowledgements(Soundness soundness, String prefix, int replicas) {
    this.soundness = soundness;
    this.mark = (prefix + ":era").getBytes(StandardCharsets.UTF_8);
    this.replicas = replicas;
    this.wanted = ascii(Integer.toString(replicas));
    // Whoever waits is to hear that it was for the replicas in vain.
    this.longestWait = ascii(Long.toString(Math.max(1, soundness.longestTrip().toMillis() / 2)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Whether calls had better wait, and go together: Redis would not look at them before, and each
   * write has an answer of all replicas to wait for.
   */
  boolean isAwaited() {
    return asked > 0;
  }

  /** A call is written. */
  void wrote() {
    isDue = true;
  }

  /** A call is answered. */
  void hold(Call call, long[] reply) {
    held.add(new Held(call, reply));
    chargedMicros = Math.max(chargedMicros, reply[1]);
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
    asked++;
    long sent = System.nanoTime();
    byte[] fresh = ascii(Long.toString(ThreadLocalRandom.current().nextLong(1, 1L << 53)));
    byte[] age = ascii(Long.toString(soundness.ageMicros()));
    CompletableFuture<@Nullable Object> era =
        ask.apply(new byte[][] {EVAL, ERA.text(), ONE_KEY, mark, fresh, age});
    if (replicas == 0) {
      era.whenComplete((told, lost) -> tell(sent, doubt(sent, told, lost)));
      return;
    }
    era.whenComplete((told, lost) -> doubt = doubt(sent, told, lost));
    ask.apply(new byte[][] {WAIT, wanted, longestWait})
        .whenComplete((told, lost) -> tell(sent, doubt == null ? missing(told, lost) : doubt));
  }

  private @Nullable Failure doubt(long sent, @Nullable Object told, @Nullable Throwable lost) {
    long charged = chargedMicros;
    chargedMicros = 0;
    if (told instanceof List<?> numbers
        && numbers.size() == 3
        && numbers.get(0) instanceof Long era
        && numbers.get(1) instanceof Long whole
        && numbers.get(2) instanceof Long micros) {
      soundness.heard(sent, era, whole, micros, charged);
      return null;
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

  /** What comes later than it may is not told as a yes: a charge counts only so much later. */
  private void tell(long sent, @Nullable Failure known) {
    doubt = NOT_ASKED;
    asked--;
    Failure failure = known == null && soundness.isLate(sent) ? LATE : known;
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
