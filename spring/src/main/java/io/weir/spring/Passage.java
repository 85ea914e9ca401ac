package io.weir.spring;

import io.weir.front.Step;
import io.weir.logs.RareLog;
import io.weir.rules.Ruling;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call of a limited method: checked, and then made, refused or replaced. */
final class Passage {
  private static final RareLog LOG = new RareLog("io.weir.spring");

  private final GuardInterceptor interceptor;
  private final Guard guard;
  private final MethodInvocation invocation;

  Passage(GuardInterceptor interceptor, Guard guard, MethodInvocation invocation) {
    this.interceptor = interceptor;
    this.guard = guard;
    this.invocation = GuardInterceptor.kept(invocation);
  }

  GuardInterceptor interceptor() {
    return interceptor;
  }

  /** Charges the call. An error in an expression is thrown like an exception of the method. */
  CompletableFuture<?> ask() {
    Call call = guard.call(invocation.getThis(), invocation.getArguments());
    return interceptor.judge().ask(() -> call);
  }

  /** The result of the call; null if the method returns null. */
  @Nullable Object obey(Step step) throws Throwable {
    if (step instanceof Step.Pass pass) {
      warnIfNobodyWasAsked(pass.ruling());
      return GuardInterceptor.kept(invocation).proceed();
    }
    RuntimeException refusal = refusal(step);
    Fallback fallback =
        refusal instanceof RateLimitExceededException exceeded
            ? guard.fallbacks().get(exceeded.rule())
            : null;
    if (fallback == null) {
      throw refusal;
    }
    return fallback.call(
        invocation.getThis(), invocation.getArguments(), (RateLimitExceededException) refusal);
  }

  /** {@link #obey}, for methods that return a stage. */
  @SuppressWarnings("unchecked")
  CompletionStage<@Nullable Object> stage(Step step) {
    try {
      Object returned = obey(step);
      return returned == null
          ? CompletableFuture.completedFuture(null)
          : (CompletionStage<@Nullable Object>) returned;
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private RuntimeException refusal(Step step) {
    if (step instanceof Step.Refused refused) {
      return RateLimitExceededException.refused(
          guard.toString(), refused.ruling(), interceptor.answers());
    }
    String why = step instanceof Step.Malformed malformed ? malformed.reason() : "";
    return new UnreadableCallException(guard.toString(), why);
  }

  /** The refusal of a call that should be delayed when too many are. */
  RateLimitExceededException crowdedOut(Step.Pass pass) {
    return RateLimitExceededException.crowdedOut(
        guard.toString(), pass.ruling(), interceptor.answers());
  }

  /**
   * Warns if no rule applied, since rules removed after the start would leave the method unlimited.
   */
  private void warnIfNobodyWasAsked(Ruling ruling) {
    if (ruling.verdicts().isEmpty() && ruling.shadows().isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "no rule applied to a call of "
              + guard
              + ": it is not limited; were the rules of its @RateLimited removed, or do they not"
              + " match?",
          null);
    }
  }
}
