package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.Step;
import io.weir.front.Turns;
import io.weir.logs.RareLog;
import io.weir.rules.Held;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A request that waits without a thread. When it may go on it is dispatched again, and finds by its
 * mark that it was judged.
 */
record Aside(AsyncContext context, Judge judge, Turns turns) {
  private static final RareLog LOG = new RareLog("io.weir.servlet");

  /**
   * There is no time after which it fails: whatever is waited for has an end of its own. What the
   * application starts later has the container's time again.
   */
  static Aside put(
      HttpServletRequest request, HttpServletResponse response, Judge judge, Turns turns) {
    AsyncContext context = request.startAsync(request, response);
    context.addListener(new Restoring(context.getTimeout()));
    context.setTimeout(0);
    return new Aside(context, judge, turns);
  }

  /** Until it is decided: from the store's thread, which must not be kept, to a container's. */
  @SuppressWarnings("FutureReturnValueIgnored") // nothing is thrown
  void until(CompletableFuture<?> asked) {
    asked.whenComplete((decided, failure) -> attempt(() -> context.start(() -> obey(asked))));
  }

  /** Until its turn has come. */
  void until(Held turn) {
    if (turns.hold(turn, () -> attempt(context::dispatch)) == null) {
      attempt(
          () -> {
            Reply.sendBusy(request(), response());
            context.complete();
          });
    }
  }

  private void obey(CompletableFuture<?> asked) {
    Step step = judge.step(asked, request().getHeader("Accept"), Judged.soFar(request()));
    attempt(
        () -> {
          if (!(step instanceof Step.Pass pass)) {
            Reply.send(step, request(), response());
            context.complete();
            return;
          }
          Reply.tell(pass.limits(), response());
          if (pass.turn() == null) {
            context.dispatch();
          } else {
            until(pass.turn());
          }
        });
  }

  private HttpServletRequest request() {
    return (HttpServletRequest) context.getRequest();
  }

  private HttpServletResponse response() {
    return (HttpServletResponse) context.getResponse();
  }

  /** What fails here, fails because the client has gone, or the application stops. */
  private void attempt(Attempt attempt) {
    try {
      attempt.make();
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, "a request that was put aside came to nothing", e);
      try {
        context.complete();
      } catch (IllegalStateException over) {
        // Then nobody waits for it.
      }
    }
  }

  /** Jetty would keep a time that was set once. */
  private record Restoring(long timeout) implements AsyncListener {
    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().setTimeout(timeout);
    }

    @Override
    public void onComplete(AsyncEvent event) {}

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}
  }

  private interface Attempt {
    void make() throws IOException;
  }
}
