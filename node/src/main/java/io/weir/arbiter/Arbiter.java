package io.weir.arbiter;

import io.weir.TimeSource;
import io.weir.rules.Bucket;
import io.weir.rules.DescriptorQuestion;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Held;
import io.weir.rules.Meter;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The decision path that all front ends share: checks a request against the rules in force and
 * counts the decision. Thread-safe.
 *
 * <p>A stage that needs no remote store is complete when it is returned. Other stages complete on a
 * thread of the store. A front end must return to its own thread at once.
 */
public final class Arbiter {
  private final RequestLimiter limiter;
  private final Tally tally;
  private final TimeSource time;
  private final Supplier<RuleSet> inForce;
  private final TimeSource clock;
  private final @Nullable RequestTally requests;
  private final Consumer<Ruling> countRuling;
  private final Consumer<DescriptorRuling> countAnswers;
  private final Consumer<Held> countHeld;
  private final @Nullable Follower follower;

  /** Uses the system clock. */
  public Arbiter(RequestLimiter limiter, Tally tally) {
    this(limiter, tally, TimeSource.system());
  }

  /**
   * @param time dates decisions for which no store was called
   */
  public Arbiter(RequestLimiter limiter, Tally tally, TimeSource time) {
    this(limiter, tally, time, null);
  }

  /**
   * @param follower is notified of each decision; null: none
   */
  public Arbiter(
      RequestLimiter limiter, Tally tally, TimeSource time, @Nullable Follower follower) {
    this(limiter, tally, time, follower, tally.requests(FrontEnd.APPLICATION));
  }

  /**
   * @param requests counts each decision as a request; null: the caller counts requests, because it
   *     makes several decisions for one request
   */
  private Arbiter(
      RequestLimiter limiter,
      Tally tally,
      TimeSource time,
      @Nullable Follower follower,
      @Nullable RequestTally requests) {
    this.follower = follower;
    this.limiter = limiter;
    this.time = time;
    this.clock = time.steady();
    this.tally = tally;
    this.requests = requests;
    this.inForce = limiter::rules;
    this.countRuling = this::count;
    this.countAnswers = this::count;
    this.countHeld = held -> count(held.ruling());
  }

  /**
   * Returns a view that counts requests for {@code frontEnd}. The default is {@link
   * FrontEnd#APPLICATION}.
   */
  public Arbiter at(FrontEnd frontEnd) {
    tally.open(frontEnd);
    return new Arbiter(limiter, tally, time, follower, tally.requests(frontEnd));
  }

  /**
   * Returns a view for a caller that decides one request in several parts, each by some of the
   * rules. Decisions are counted by rule; the caller counts the request in {@link Tally#requests}.
   */
  public Arbiter inParts() {
    return new Arbiter(limiter, tally, time, follower, null);
  }

  /**
   * Charges a request.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to the request
   */
  public CompletionStage<Ruling> decide(Request request) {
    return follower == null
        ? judge(request)
        : followed(follower, () -> judge(request), Follower.Step::decided);
  }

  private CompletionStage<Ruling> judge(Request request) {
    long start = clock.epochNanos();
    return counted(limiter.checkAsync(request), start, countRuling);
  }

  /** Charges descriptors. */
  public CompletionStage<DescriptorRuling> decide(DescriptorQuestion question) {
    return follower == null
        ? judge(question)
        : followed(follower, () -> judge(question), Follower.Step::decided);
  }

  private CompletionStage<DescriptorRuling> judge(DescriptorQuestion question) {
    long start = clock.epochNanos();
    return counted(limiter.checkAsync(question), start, countAnswers);
  }

  /** Charges a request at a cost that is corrected later. */
  public CompletionStage<Held> hold(Request request) {
    return follower == null
        ? take(request)
        : followed(follower, () -> take(request), (step, held) -> step.decided(held.ruling()));
  }

  private CompletionStage<Held> take(Request request) {
    long start = clock.epochNanos();
    return counted(limiter.hold(request), start, countHeld);
  }

  private static <T> CompletionStage<T> followed(
      Follower follower, Supplier<CompletionStage<T>> decision, BiConsumer<Follower.Step, T> tell) {
    Follower.Step step = follower.begin();
    try {
      return decision
          .get()
          .whenComplete(
              (decided, failure) -> {
                if (failure == null) {
                  tell.accept(step, decided);
                } else {
                  step.failed(failure);
                }
              });
    } catch (RuntimeException | Error e) {
      step.failed(e);
      throw e;
    }
  }

  /** A complete stage is counted at once and returned as it is, so it needs no allocation. */
  private <T> CompletionStage<T> counted(CompletionStage<T> stage, long start, Consumer<T> count) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      tally.time(clock.epochNanos() - start);
      count.accept(future.join());
      return future;
    }
    return future.whenComplete(
        (decided, failure) -> {
          tally.time(clock.epochNanos() - start);
          if (failure == null) {
            count.accept(decided);
          }
        });
  }

  private void count(Ruling ruling) {
    tally.count(ruling, inForce);
    if (requests != null) {
      requests.count(ruling);
    }
  }

  private void count(DescriptorRuling ruling) {
    List<DescriptorRuling.Answer> answers = ruling.answers();
    boolean isCharged = ruling.allowed() || limiter.descriptorMode().countsRefused();
    for (int i = 0; i < answers.size(); i++) {
      tally.count(answers.get(i), isCharged, inForce);
    }
    if (requests != null) {
      requests.count(ruling, limiter.descriptorMode().shadow());
    }
  }

  /** The buckets of a rule for one caller. */
  public List<Bucket> buckets(Rule rule, Request who) {
    return limiter.buckets(rule, who);
  }

  /** The buckets of a rule for one caller with a known key. */
  public List<Bucket> buckets(Rule rule, String key) {
    return limiter.buckets(rule, key);
  }

  /**
   * The limits of a rule that apply to one caller; empty if they depend on attributes that are
   * missing.
   */
  public Optional<Meter> applying(Rule rule, Request who) {
    return limiter.applying(rule, who);
  }

  /** The limits of a rule that apply to one caller with a known key. */
  public Optional<Meter> applying(Rule rule, String key) {
    return limiter.applying(rule, key);
  }

  /** The memory that the limits in force use in this process. */
  public List<RequestLimiter.Usage> usage() {
    return limiter.usage();
  }

  /** Milliseconds since the epoch, by the clock of this process. */
  public long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(time.epochNanos());
  }

  /**
   * Whether a follower is set. A follower sees each decision as a part of the request that caused
   * it.
   */
  public boolean isFollowed() {
    return follower != null;
  }

  /** The rules in force. */
  public RuleSet rules() {
    return limiter.rules();
  }

  /** The counters. */
  public Tally tally() {
    return tally;
  }
}
