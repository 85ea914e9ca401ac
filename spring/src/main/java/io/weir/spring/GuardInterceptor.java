package io.weir.spring;

import io.weir.front.Judge;
import io.weir.front.Step;
import io.weir.front.Turns;
import io.weir.node.Node;
import io.weir.rules.http.Answers;
import io.weir.rules.http.HeaderStyle;
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
final class GuardInterceptor implements MethodInterceptor, AutoCloseable {
  private static final int MOST_HELD = 64;
  private static final boolean HAS_REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Flux", GuardInterceptor.class.getClassLoader());

  private final Guards guards;
  private final Supplier<Executor> executor;
  private final SingletonSupplier<Judge> judge;
  private final SingletonSupplier<Answers> answers;
  private final Turns turns = new Turns(MOST_HELD);

  /**
   * @param executor runs methods after a decision that completed on another thread
   */
  GuardInterceptor(
      Guards guards,
      Supplier<Node> node,
      Supplier<HeaderStyle> style,
      Supplier<Executor> executor) {
    this.guards = guards;
    this.executor = executor;
    this.judge = SingletonSupplier.of(() -> new Judge(node.get(), style.get()));
    this.answers = SingletonSupplier.of(() -> new Answers(style.get()));
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object bean = invocation.getThis();
    Class<?> type = bean == null ? invocation.getMethod().getDeclaringClass() : bean.getClass();
    Guard guard = guards.of(invocation.getMethod(), type).orElse(null);
    if (guard == null) {
      return invocation.proceed();
    }
    Passage passage = new Passage(this, guard, invocation);
    Class<?> returned = invocation.getMethod().getReturnType();
    if (HAS_REACTOR && ReactivePassage.isFor(returned)) {
      return new ReactivePassage(passage).go(returned);
    }
    return returned.isAssignableFrom(CompletableFuture.class)
            && CompletionStage.class.isAssignableFrom(returned)
        ? later(passage)
        : now(passage);
  }

  private @Nullable Object now(Passage passage) throws Throwable {
    CompletableFuture<?> asked = passage.ask();
    judge().await(asked);
    Step step = judge().step(asked, null);
    if (step instanceof Step.Pass pass && pass.turn() != null && !turns.await(pass.turn())) {
      throw passage.crowdedOut(pass);
    }
    return passage.obey(step);
  }

  private Object later(Passage passage) throws Throwable {
    CompletableFuture<?> asked = passage.ask();
    if (!isOnEventLoop()) {
      judge().await(asked); // blocks, so that the method keeps its thread's transaction
    }
    if (asked.isDone()) {
      Step step = judge().step(asked, null);
      if (!(step instanceof Step.Pass pass && pass.turn() != null)) {
        return passage.stage(step);
      }
    }
    return asked
        .handle((decided, failure) -> judge().step(asked, null))
        .thenCompose(step -> turn(passage, step))
        .thenComposeAsync(step -> passage.stage(step), executor.get());
  }

  private static boolean isOnEventLoop() {
    return HAS_REACTOR && ReactivePassage.isOnEventLoop();
  }

  /** The step, after its delay. */
  private CompletableFuture<Step> turn(Passage passage, Step step) {
    CompletableFuture<Step> come = new CompletableFuture<>();
    if (!(step instanceof Step.Pass pass) || pass.turn() == null) {
      come.complete(step);
    } else {
      Runnable lost = () -> come.completeExceptionally(passage.crowdedOut(pass));
      if (turns.hold(pass.turn(), () -> come.complete(step), lost) == null) {
        lost.run();
      }
    }
    return come;
  }

  Turns turns() {
    return turns;
  }

  Judge judge() {
    return judge.obtain();
  }

  Answers answers() {
    return answers.obtain();
  }

  /** An invocation that may proceed later, on another thread. */
  static MethodInvocation kept(MethodInvocation invocation) {
    return invocation instanceof ProxyMethodInvocation proxied
        ? proxied.invocableClone()
        : invocation;
  }

  @Override
  public void close() {
    turns.close();
  }
}
