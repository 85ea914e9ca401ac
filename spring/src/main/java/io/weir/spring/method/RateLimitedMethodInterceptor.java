package io.weir.spring.method;

import io.weir.embedded.DelayedRequests;
import io.weir.embedded.FilterAction;
import io.weir.embedded.RequestGuard;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.HeaderStyle;
import io.weir.runtime.Node;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Charges method calls, in the way that the return type allows: blocking, as a stage, or reactive.
 */
public final class RateLimitedMethodInterceptor implements MethodInterceptor, AutoCloseable {
  private static final int MAX_HELD = 64;
  private static final boolean HAS_REACTOR =
      ClassUtils.isPresent(
          "reactor.core.publisher.Flux", RateLimitedMethodInterceptor.class.getClassLoader());

  private final RateLimitedMethods rateLimitedMethods;
  private final Supplier<Executor> executor;
  private final SingletonSupplier<RequestGuard> requestGuard;
  private final SingletonSupplier<DecisionResponses> decisionResponses;
  private final DelayedRequests delayedRequests = new DelayedRequests(MAX_HELD);

  /**
   * @param executor runs methods after a decision that completed on another thread
   */
  public RateLimitedMethodInterceptor(
      RateLimitedMethods rateLimitedMethods,
      Supplier<Node> node,
      Supplier<HeaderStyle> style,
      Supplier<Executor> executor) {
    this.rateLimitedMethods = rateLimitedMethods;
    this.executor = executor;
    this.requestGuard = SingletonSupplier.of(() -> new RequestGuard(node.get(), style.get()));
    this.decisionResponses = SingletonSupplier.of(() -> new DecisionResponses(style.get()));
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object bean = invocation.getThis();
    Class<?> type = bean == null ? invocation.getMethod().getDeclaringClass() : bean.getClass();
    RateLimitedMethod rateLimitedMethod =
        rateLimitedMethods.of(invocation.getMethod(), type).orElse(null);
    if (rateLimitedMethod == null) {
      return invocation.proceed();
    }
    RateLimitedInvocation rateLimitedInvocation =
        new RateLimitedInvocation(this, rateLimitedMethod, invocation);
    Class<?> returned = invocation.getMethod().getReturnType();
    if (HAS_REACTOR && ReactiveRateLimitedInvocation.isFor(returned)) {
      return new ReactiveRateLimitedInvocation(rateLimitedInvocation).go(returned);
    }
    return returned.isAssignableFrom(CompletableFuture.class)
            && CompletionStage.class.isAssignableFrom(returned)
        ? later(rateLimitedInvocation)
        : now(rateLimitedInvocation);
  }

  private @Nullable Object now(RateLimitedInvocation rateLimitedInvocation) throws Throwable {
    CompletableFuture<?> decision = rateLimitedInvocation.charge();
    requestGuard().await(decision);
    FilterAction filterAction = requestGuard().step(decision, null);
    if (filterAction instanceof FilterAction.Pass pass
        && pass.turn() != null
        && !delayedRequests.await(pass.turn())) {
      throw rateLimitedInvocation.crowdedOut(pass);
    }
    return rateLimitedInvocation.apply(filterAction);
  }

  private Object later(RateLimitedInvocation rateLimitedInvocation) throws Throwable {
    CompletableFuture<?> decision = rateLimitedInvocation.charge();
    if (!isOnEventLoop()) {
      requestGuard().await(decision); // blocks, so that the method keeps its thread's transaction
    }
    if (decision.isDone()) {
      FilterAction filterAction = requestGuard().step(decision, null);
      if (!(filterAction instanceof FilterAction.Pass pass && pass.turn() != null)) {
        return rateLimitedInvocation.stage(filterAction);
      }
    }
    return decision
        .handle((decided, failure) -> requestGuard().step(decision, null))
        .thenCompose(filterAction -> turn(rateLimitedInvocation, filterAction))
        .thenComposeAsync(
            filterAction -> rateLimitedInvocation.stage(filterAction), executor.get());
  }

  private static boolean isOnEventLoop() {
    return HAS_REACTOR && ReactiveRateLimitedInvocation.isOnEventLoop();
  }

  /** The step, after its delay. */
  private CompletableFuture<FilterAction> turn(
      RateLimitedInvocation rateLimitedInvocation, FilterAction filterAction) {
    CompletableFuture<FilterAction> result = new CompletableFuture<>();
    if (!(filterAction instanceof FilterAction.Pass pass) || pass.turn() == null) {
      result.complete(filterAction);
    } else {
      Runnable lost = () -> result.completeExceptionally(rateLimitedInvocation.crowdedOut(pass));
      if (delayedRequests.hold(pass.turn(), () -> result.complete(filterAction), lost) == null) {
        lost.run();
      }
    }
    return result;
  }

  DelayedRequests delayedRequests() {
    return delayedRequests;
  }

  RequestGuard requestGuard() {
    return requestGuard.obtain();
  }

  DecisionResponses decisionResponses() {
    return decisionResponses.obtain();
  }

  /** An invocation that may proceed later, on another thread. */
  static MethodInvocation kept(MethodInvocation invocation) {
    return invocation instanceof ProxyMethodInvocation proxied
        ? proxied.invocableClone()
        : invocation;
  }

  @Override
  public void close() {
    delayedRequests.close();
  }
}
