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
 * A request that waits without a thread, by asynchronous dispatch. When it may go on it is
 * dispatched again. Marks on the request show which filters have already checked it.
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
   * Suspends a request without a container timeout: every wait has its own limit. Later
   * asynchronous work of the application has the container's timeout again.
   */
  static Aside put(HttpServletRequest request, HttpServletResponse response, Reply reply) {
    Aside aside = new Aside(request.startAsync(request, response), reply);
    aside.context.addListener(aside);
    aside.context.setTimeout(0);
    request.setAttribute(NAME, aside);
    return aside;
  }

  /** Whether this dispatch resumes a suspended request, which then counts as newly received. */
  static boolean isResumed(ServletRequest request) {
    return request.getDispatcherType() == DispatcherType.ASYNC
        && request.getAttribute(NAME) != null;
  }

  /**
   * Waits for a decision, then continues on a container thread: the store's threads must not be
   * blocked.
   *
   * @param then continues with the decision
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the future does not fail
  void until(CompletableFuture<?> asked, Attempt then) {
    asked.whenComplete((decided, failure) -> attempt(() -> context.start(() -> attempt(then))));
  }

  /** Waits until the delay of a request is over. */
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

  /** Dispatches the request again. */
  void resume() {
    context.dispatch();
  }

  /** Completes a request that was answered. */
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

  /** Failures here mean that the client has gone or the application stops. */
  private void attempt(Attempt attempt) {
    try {
      attempt.make();
    } catch (IOException | RuntimeException | Error e) {
      if (end()) {
        LOG.log(System.Logger.Level.WARNING, "a suspended request failed", e);
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
      // The request has ended already.
    }
  }

  /** Marks the request as ended; false if it was already. */
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

  /**
   * The request resumed, and other code suspends it. Jetty would keep the timeout that was set
   * before.
   */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().setTimeout(timeout);
    event.getAsyncContext().getRequest().removeAttribute(NAME);
  }

  /** An action that may fail because the request has ended. */
  interface Attempt {
    void make() throws IOException;
  }
}
