package io.weir.servlet;

import io.weir.front.Turns;
import io.weir.logs.RareLog;
import io.weir.rules.Held;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits without a thread. When it may go on it is dispatched again, and filters find
 * by their marks which of them have judged it.
 */
final class Aside implements AsyncListener {
  private static final RareLog LOG = new RareLog("io.weir.servlet");
  private static final String NAME = "io.weir.servlet.aside";

  private final AsyncContext context;
  private final Reply reply;
  private final long timeout;
  private boolean isOver;
  private Turns.@Nullable Place place;

  private Aside(AsyncContext context, Reply reply) {
    this.context = context;
    this.reply = reply;
    this.timeout = context.getTimeout();
  }

  /**
   * There is no time after which it fails: whatever is waited for has an end of its own. What the
   * application starts later has the container's time again.
   */
  static Aside put(HttpServletRequest request, HttpServletResponse response, Reply reply) {
    Aside aside = new Aside(request.startAsync(request, response), reply);
    aside.context.addListener(aside);
    aside.context.setTimeout(0);
    request.setAttribute(NAME, aside);
    return aside;
  }

  /** Whether a dispatch only goes on with what was put aside, as if it had just come in. */
  static boolean isResumed(ServletRequest request) {
    return request.getDispatcherType() == DispatcherType.ASYNC
        && request.getAttribute(NAME) != null;
  }

  /**
   * Until it is decided: from the store's thread, which must not be kept, to a container's.
   *
   * @param then says what comes of it
   */
  @SuppressWarnings("FutureReturnValueIgnored") // nothing is thrown
  void until(CompletableFuture<?> asked, Attempt then) {
    asked.whenComplete((decided, failure) -> attempt(() -> context.start(() -> attempt(then))));
  }

  /** Until its turn has come. */
  void until(Held turn, Turns turns) {
    Turns.Place taken =
        turns.hold(turn, () -> attempt(this::resume), () -> attempt(this::turnAway));
    if (taken == null) {
      attempt(this::turnAway);
    } else if (!keep(taken)) {
      taken.leave();
    }
  }

  private synchronized boolean keep(Turns.Place taken) {
    place = taken;
    return !isOver;
  }

  /** It goes on. */
  void resume() {
    context.dispatch();
  }

  /** It was answered. */
  void complete() {
    context.complete();
  }

  private void turnAway() throws IOException {
    reply.sendBusy((HttpServletRequest) context.getRequest(), response());
    context.complete();
  }

  private HttpServletResponse response() {
    return (HttpServletResponse) context.getResponse();
  }

  /** What fails here, fails because the client has gone, or the application stops. */
  private void attempt(Attempt attempt) {
    try {
      attempt.make();
    } catch (IOException | RuntimeException | Error e) {
      if (end()) {
        LOG.log(System.Logger.Level.WARNING, "a request that was put aside came to nothing", e);
      }
      fail();
    }
  }

  private void fail() {
    try {
      if (!response().isCommitted()) {
        response().setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
      }
      context.complete();
    } catch (RuntimeException over) {
      // Then nobody waits for it.
    }
  }

  /** Nobody waits for it any more; false if that was known. */
  private boolean end() {
    Turns.Place left;
    boolean isFirst;
    synchronized (this) {
      isFirst = !isOver;
      isOver = true;
      left = place;
    }
    if (left != null) {
      left.leave();
    }
    return isFirst;
  }

  @Override
  public void onComplete(AsyncEvent event) {
    end();
  }

  /** The client has gone. */
  @Override
  public void onError(AsyncEvent event) {
    end();
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    end();
  }

  /** It went on, and somebody else makes it wait. Jetty would keep a time that was set once. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().setTimeout(timeout);
    event.getAsyncContext().getRequest().removeAttribute(NAME);
  }

  /** What may fail because nobody waits any more. */
  interface Attempt {
    void make() throws IOException;
  }
}
