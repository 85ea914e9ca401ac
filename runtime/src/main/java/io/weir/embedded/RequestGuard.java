package io.weir.embedded;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DelayDetection;
import io.weir.decision.FrontEnd;
import io.weir.decision.RequestCounters;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.AttributeSource;
import io.weir.rules.HeldCharge;
import io.weir.rules.Policy;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.match.MalformedRequestException;
import io.weir.runtime.Node;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the requests of an application that embeds Weir. Thread-safe.
 *
 * <p>The decision of the rules is applied, including their {@code on_failure} policy. If Weir
 * itself fails because of a bug, the rules that would have applied are unknown. Then the request is
 * refused if a rule that may apply to it fails closed. Otherwise the request goes on: a bug in the
 * rate limiter must not stop the application. At most one line a minute is logged.
 */
public final class RequestGuard {
  /** A store responds or times out long before this, by its own deadline. */
  private static final long MAX_WAIT_SECONDS = 120;

  private final RateLimitedLog log = new RateLimitedLog("io.weir.embedded");
  private final DecisionEngine decisionEngine;
  private final DecisionResponses decisionResponses;
  private final DelayDetection delayDetection;
  private final @Nullable Predicate<Rule> scope;

  /** Checks by the rules of {@code node}. */
  public RequestGuard(Node node, HeaderStyle style) {
    this(node, style, null);
  }

  /**
   * Checks by some of the rules of {@code node}.
   *
   * @param scope which rules; null: all. With a scope, {@link #parts} must count the request
   */
  public RequestGuard(Node node, HeaderStyle style, @Nullable Predicate<Rule> scope) {
    this.scope = scope;
    this.decisionEngine =
        scope == null
            ? node.decisionEngine().at(FrontEnd.APPLICATION)
            : node.decisionEngine().at(FrontEnd.APPLICATION).inParts();
    this.decisionResponses = new DecisionResponses(style);
    this.delayDetection = new DelayDetection(decisionEngine);
  }

  /**
   * Charges a request. Never throws; pass the result to {@link #step}.
   *
   * @param request is called once; it may throw
   */
  public CompletableFuture<?> check(Supplier<? extends Request> request) {
    Request read = null;
    try {
      read = scope == null ? request.get() : new ScopedRequest(request.get(), scope);
      return (delayDetection.arePossible()
              ? decisionEngine.hold(read)
              : decisionEngine.decide(read))
          .toCompletableFuture();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(new Undecided(e, read));
    }
  }

  /**
   * Returns the counter for a request that several guards of one node check, one after the other.
   *
   * @param before the counter so far; null: none
   */
  public MultiPhaseRequest parts(@Nullable MultiPhaseRequest before) {
    RequestCounters requests = decisionEngine.decisionCounters().requests(FrontEnd.APPLICATION);
    return before != null && before.isOf(requests) ? before : new MultiPhaseRequest(requests);
  }

  /**
   * Replaces the decision if the check failed.
   *
   * @param request null if the request could not be read
   */
  private record Undecided(Throwable cause, @Nullable Request request) {}

  /**
   * Waits in this thread until {@code check} is complete. An interruption is deferred, because the
   * wait takes milliseconds.
   */
  public void await(CompletableFuture<?> check) {
    boolean isInterrupted = false;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_SECONDS);
    while (!check.isDone()) {
      try {
        check.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        isInterrupted = true;
      } catch (ExecutionException | TimeoutException e) {
        break; // step reports the failure
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Decides what to do with a request that was passed to {@link #check}. Throws only what {@code
   * accept} throws.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public FilterAction step(CompletableFuture<?> check, @Nullable String accept) {
    return step(check, () -> accept, null);
  }

  /**
   * {@link #step(CompletableFuture, String)} for a request that other rules checked before.
   *
   * @param accept returns the request's {@code Accept}; called only for a refusal
   * @param before the earlier decisions, which the response reports too; null: none
   */
  public FilterAction step(
      CompletableFuture<?> check,
      Supplier<@Nullable String> accept,
      @Nullable RequestDecision before) {
    try {
      Object decided = check.getNow(null);
      if (decided instanceof HeldCharge heldCharge) {
        return step(heldCharge.requestDecision(), heldCharge, accept, before);
      }
      if (decided instanceof RequestDecision requestDecision) {
        return step(requestDecision, null, accept, before);
      }
      if (decided instanceof Undecided undecided) {
        return failed(undecided, accept);
      }
      throw new IllegalStateException("no decision within " + MAX_WAIT_SECONDS + " s");
    } catch (RuntimeException | Error e) {
      Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      return failed(new Undecided(cause, null), accept);
    }
  }

  private FilterAction step(
      RequestDecision requestDecision,
      @Nullable HeldCharge heldCharge,
      Supplier<@Nullable String> accept,
      @Nullable RequestDecision before) {
    RequestDecision all = before == null ? requestDecision : combined(before, requestDecision);
    if (!requestDecision.allowed()) {
      return new FilterAction.Refused(refusal(all, accept), requestDecision);
    }
    boolean isHeld = heldCharge != null && !requestDecision.delay().isZero();
    return new FilterAction.Pass(decisionResponses.headers(all), isHeld ? heldCharge : null, all);
  }

  /** A refusal stays a refusal, even if its response cannot be built as configured. */
  private DirectResponse refusal(
      RequestDecision requestDecision, Supplier<@Nullable String> accept) {
    try {
      return decisionResponses.refusal(requestDecision, accept.get());
    } catch (RuntimeException | Error e) {
      log.log(
          System.Logger.Level.ERROR, "a refusal response could not be built, so a 503 is sent", e);
      return DecisionResponses.overloaded(1, null);
    }
  }

  private static RequestDecision combined(RequestDecision before, RequestDecision now) {
    return RequestDecision.of(
        Stream.concat(before.ruleDecisions().stream(), now.ruleDecisions().stream()).toList(),
        Stream.concat(before.shadows().stream(), now.shadows().stream()).toList());
  }

  private FilterAction failed(Undecided undecided, Supplier<@Nullable String> accept) {
    if (undecided.cause() instanceof MalformedRequestException malformed) {
      String reason = String.valueOf(malformed.getMessage());
      return new FilterAction.Malformed(DecisionResponses.badRequest(reason, accept.get()), reason);
    }
    Rule closed = closed(OnFailure.DENY, undecided.request());
    closed = closed == null ? closed(OnFailure.ERROR, undecided.request()) : closed;
    if (closed == null) {
      log.log(
          System.Logger.Level.ERROR,
          "a request could not be checked and goes on without limits",
          undecided.cause());
      return counted(FilterAction.Pass.UNLIMITED, FilterAction.Pass.UNLIMITED.requestDecision());
    }
    log.log(
        System.Logger.Level.ERROR,
        "a request could not be checked and is refused, because rule '"
            + closed.name()
            + "' has on_failure: "
            + closed.policy().onFailure().name().toLowerCase(Locale.ROOT),
        undecided.cause());
    RequestDecision refused = refused(closed);
    return counted(new FilterAction.Refused(refusal(refused, accept), refused), refused);
  }

  /** Counts a request that the decision engine did not count, because it failed. */
  private FilterAction counted(FilterAction filterAction, RequestDecision requestDecision) {
    if (scope == null) {
      decisionEngine.decisionCounters().requests(FrontEnd.APPLICATION).count(requestDecision);
    }
    return filterAction;
  }

  /** Finds a rule that fails closed and may apply to this request. */
  private @Nullable Rule closed(OnFailure how, @Nullable Request request) {
    for (Rule rule : decisionEngine.rules().rules()) {
      if (rule.policy().mode() == Policy.Mode.ENFORCE
          && rule.policy().onFailure() == how
          && (scope == null || scope.test(rule))
          && (request == null || request.concerns(rule))
          && !limits(rule).isEmpty()) {
        return rule;
      }
    }
    return null;
  }

  private RequestDecision refused(Rule rule) {
    Decision refused = Decision.onFailure(false, 1, limits(rule), decisionEngine.nowMillis());
    return RequestDecision.of(List.of(RuleDecision.of(rule, "", refused)), List.of());
  }

  private static List<Limit> limits(Rule rule) {
    return Stream.concat(
            rule.limits().stream(),
            rule.ruleOverrides().stream().flatMap(ruleOverride -> ruleOverride.limits().stream()))
        .toList();
  }

  /**
   * A request that is checked by some of the rules.
   *
   * @param scope which rules
   */
  private record ScopedRequest(Request request, Predicate<Rule> scope) implements Request {
    @Override
    public boolean concerns(Rule rule) {
      return scope.test(rule);
    }

    @Override
    public @Nullable String attribute(String name) {
      return request.attribute(name);
    }

    @Override
    public @Nullable String attribute(String name, AttributeSource.Field field) {
      return request.attribute(name, field);
    }

    @Override
    public long cost() {
      return request.cost();
    }
  }
}
