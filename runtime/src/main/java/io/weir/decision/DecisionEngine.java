package io.weir.decision;

import io.weir.TimeSource;
import io.weir.rules.HeldCharge;
import io.weir.rules.LimitGroup;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleBucket;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorRequest;
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
public final class DecisionEngine {
  private final RequestLimiter limiter;
  private final DecisionCounters decisionCounters;
  private final TimeSource time;
  private final Supplier<RuleSet> inForce;
  private final TimeSource clock;
  private final @Nullable RequestCounters requests;
  private final Consumer<RequestDecision> countRequest;
  private final Consumer<DescriptorDecision> countDescriptors;
  private final Consumer<HeldCharge> countHeld;
  private final @Nullable DecisionTracer decisionTracer;

  /** Uses the system clock. */
  public DecisionEngine(RequestLimiter limiter, DecisionCounters decisionCounters) {
    this(limiter, decisionCounters, TimeSource.system());
  }

  /**
   * @param time dates decisions for which no store was called
   */
  public DecisionEngine(
      RequestLimiter limiter, DecisionCounters decisionCounters, TimeSource time) {
    this(limiter, decisionCounters, time, null);
  }

  /**
   * @param decisionTracer traces each decision; null: none
   */
  public DecisionEngine(
      RequestLimiter limiter,
      DecisionCounters decisionCounters,
      TimeSource time,
      @Nullable DecisionTracer decisionTracer) {
    this(
        limiter,
        decisionCounters,
        time,
        decisionTracer,
        decisionCounters.requests(FrontEnd.APPLICATION));
  }

  /**
   * @param requests counts each decision as a request; null: the caller counts requests, because it
   *     makes several decisions for one request
   */
  private DecisionEngine(
      RequestLimiter limiter,
      DecisionCounters decisionCounters,
      TimeSource time,
      @Nullable DecisionTracer decisionTracer,
      @Nullable RequestCounters requests) {
    this.decisionTracer = decisionTracer;
    this.limiter = limiter;
    this.time = time;
    this.clock = time.steady();
    this.decisionCounters = decisionCounters;
    this.requests = requests;
    this.inForce = limiter::rules;
    this.countRequest = this::count;
    this.countDescriptors = this::count;
    this.countHeld = heldCharge -> count(heldCharge.requestDecision());
  }

  /**
   * Returns a view that counts requests for {@code frontEnd}. The default is {@link
   * FrontEnd#APPLICATION}.
   */
  public DecisionEngine at(FrontEnd frontEnd) {
    decisionCounters.open(frontEnd);
    return new DecisionEngine(
        limiter, decisionCounters, time, decisionTracer, decisionCounters.requests(frontEnd));
  }

  /**
   * Returns a view for a caller that decides one request in several parts, each by some of the
   * rules. Decisions are counted by rule; the caller counts the request in {@link
   * DecisionCounters#requests}.
   */
  public DecisionEngine inParts() {
    return new DecisionEngine(limiter, decisionCounters, time, decisionTracer, null);
  }

  /**
   * Charges a request.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to the request
   */
  public CompletionStage<RequestDecision> decide(Request request) {
    return decisionTracer == null
        ? check(request)
        : traced(decisionTracer, () -> check(request), DecisionTracer.ActiveDecision::decided);
  }

  private CompletionStage<RequestDecision> check(Request request) {
    long start = clock.epochNanos();
    return counted(limiter.checkAsync(request), start, countRequest);
  }

  /** Charges descriptors. */
  public CompletionStage<DescriptorDecision> decide(DescriptorRequest request) {
    return decisionTracer == null
        ? check(request)
        : traced(decisionTracer, () -> check(request), DecisionTracer.ActiveDecision::decided);
  }

  private CompletionStage<DescriptorDecision> check(DescriptorRequest request) {
    long start = clock.epochNanos();
    return counted(limiter.checkAsync(request), start, countDescriptors);
  }

  /** Charges a request at a cost that is corrected later. */
  public CompletionStage<HeldCharge> hold(Request request) {
    return decisionTracer == null
        ? take(request)
        : traced(
            decisionTracer,
            () -> take(request),
            (activeDecision, heldCharge) -> activeDecision.decided(heldCharge.requestDecision()));
  }

  private CompletionStage<HeldCharge> take(Request request) {
    long start = clock.epochNanos();
    return counted(limiter.hold(request), start, countHeld);
  }

  private static <T> CompletionStage<T> traced(
      DecisionTracer decisionTracer,
      Supplier<CompletionStage<T>> decision,
      BiConsumer<DecisionTracer.ActiveDecision, T> report) {
    DecisionTracer.ActiveDecision activeDecision = decisionTracer.begin();
    try {
      return decision
          .get()
          .whenComplete(
              (decided, failure) -> {
                if (failure == null) {
                  report.accept(activeDecision, decided);
                } else {
                  activeDecision.failed(failure);
                }
              });
    } catch (RuntimeException | Error e) {
      activeDecision.failed(e);
      throw e;
    }
  }

  /** A complete stage is counted at once and returned as it is, so it needs no allocation. */
  private <T> CompletionStage<T> counted(CompletionStage<T> stage, long start, Consumer<T> count) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      decisionCounters.time(clock.epochNanos() - start);
      count.accept(future.join());
      return future;
    }
    return future.whenComplete(
        (decided, failure) -> {
          decisionCounters.time(clock.epochNanos() - start);
          if (failure == null) {
            count.accept(decided);
          }
        });
  }

  private void count(RequestDecision requestDecision) {
    decisionCounters.count(requestDecision, inForce);
    if (requests != null) {
      requests.count(requestDecision);
    }
  }

  private void count(DescriptorDecision decision) {
    List<DescriptorDecision.DescriptorResult> descriptorResults = decision.descriptorResults();
    boolean isCharged = decision.allowed() || limiter.descriptorMode().countsRefused();
    for (int i = 0; i < descriptorResults.size(); i++) {
      decisionCounters.count(descriptorResults.get(i), isCharged, inForce);
    }
    if (requests != null) {
      requests.count(decision, limiter.descriptorMode().shadow());
    }
  }

  /** The buckets of a rule for one caller. */
  public List<RuleBucket> buckets(Rule rule, Request caller) {
    return limiter.buckets(rule, caller);
  }

  /** The buckets of a rule for one caller with a known key. */
  public List<RuleBucket> buckets(Rule rule, String key) {
    return limiter.buckets(rule, key);
  }

  /**
   * The limits of a rule that apply to one caller; empty if they depend on attributes that are
   * missing.
   */
  public Optional<LimitGroup> applying(Rule rule, Request caller) {
    return limiter.applying(rule, caller);
  }

  /** The limits of a rule that apply to one caller with a known key. */
  public Optional<LimitGroup> applying(Rule rule, String key) {
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

  /** Whether decisions are traced, as parts of the requests that cause them. */
  public boolean isFollowed() {
    return decisionTracer != null;
  }

  /** The rules in force. */
  public RuleSet rules() {
    return limiter.rules();
  }

  /** The counters. */
  public DecisionCounters decisionCounters() {
    return decisionCounters;
  }
}
