package io.weir.spring.method;

import io.weir.embedded.FilterAction;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.RequestDecision;
import io.weir.spring.RateLimitExceededException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** One call of a limited method: checked, and then made, refused or replaced. */
final class RateLimitedInvocation {
  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.spring");

  private final RateLimitedMethodInterceptor interceptor;
  private final RateLimitedMethod rateLimitedMethod;
  private final MethodInvocation invocation;

  RateLimitedInvocation(
      RateLimitedMethodInterceptor interceptor,
      RateLimitedMethod rateLimitedMethod,
      MethodInvocation invocation) {
    this.interceptor = interceptor;
    this.rateLimitedMethod = rateLimitedMethod;
    this.invocation = RateLimitedMethodInterceptor.kept(invocation);
  }

  RateLimitedMethodInterceptor interceptor() {
    return interceptor;
  }

  /** Charges the call. An error in an expression is thrown like an exception of the method. */
  CompletableFuture<?> charge() {
    MethodCallRequest methodCallRequest =
        rateLimitedMethod.call(invocation.getThis(), invocation.getArguments());
    return interceptor.requestGuard().check(() -> methodCallRequest);
  }

  /** The result of the call; null if the method returns null. */
  @Nullable Object apply(FilterAction filterAction) throws Throwable {
    if (filterAction instanceof FilterAction.Pass pass) {
      warnIfNoRuleApplied(pass.requestDecision());
      return RateLimitedMethodInterceptor.kept(invocation).proceed();
    }
    RuntimeException refusal = refusal(filterAction);
    FallbackMethod fallbackMethod =
        refusal instanceof RateLimitExceededException exceeded
            ? rateLimitedMethod.fallbackMethods().get(exceeded.rule())
            : null;
    if (fallbackMethod == null) {
      throw refusal;
    }
    return fallbackMethod.call(
        invocation.getThis(), invocation.getArguments(), (RateLimitExceededException) refusal);
  }

  /** {@link #apply}, for methods that return a stage. */
  @SuppressWarnings("unchecked")
  CompletionStage<@Nullable Object> stage(FilterAction filterAction) {
    try {
      Object returned = apply(filterAction);
      return returned == null
          ? CompletableFuture.completedFuture(null)
          : (CompletionStage<@Nullable Object>) returned;
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private RuntimeException refusal(FilterAction filterAction) {
    if (filterAction instanceof FilterAction.Refused refused) {
      return RateLimitExceededException.refused(
          rateLimitedMethod.toString(), refused.requestDecision(), interceptor.decisionResponses());
    }
    String why = filterAction instanceof FilterAction.Malformed malformed ? malformed.reason() : "";
    return new InvalidCallException(rateLimitedMethod.toString(), why);
  }

  /** The refusal of a call that should be delayed when too many are. */
  RateLimitExceededException crowdedOut(FilterAction.Pass pass) {
    return RateLimitExceededException.crowdedOut(
        rateLimitedMethod.toString(), pass.requestDecision(), interceptor.decisionResponses());
  }

  /**
   * Warns if no rule applied, since rules removed after the start would leave the method unlimited.
   */
  private void warnIfNoRuleApplied(RequestDecision requestDecision) {
    if (requestDecision.ruleDecisions().isEmpty() && requestDecision.shadows().isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "no rule applied to a call of "
              + rateLimitedMethod
              + ": it is not limited; were the rules of its @RateLimited removed, or do they not"
              + " match?",
          null);
    }
  }
}
