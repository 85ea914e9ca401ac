package io.weir.servlet;

import io.weir.embedded.DelayedRequests;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.HeldCharge;
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
final class SuspendedRequest implements AsyncListener {
  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.servlet");
  private static final String NAME = "io.weir.servlet.aside";

  private final AsyncContext context;
  private final ServletResponseWriter servletResponseWriter;
  private final long timeout;
  private boolean hasEnded;
  private DelayedRequests.@Nullable WaitingRequest waitingRequest;

  private SuspendedRequest(AsyncContext context, ServletResponseWriter servletResponseWriter) {
    this.context = context;
    this.servletResponseWriter = servletResponseWriter;
    this.timeout = context.getTimeout();
  }

  /**
   * Suspends a request without a container timeout: every wait has its own limit. Later
   * asynchronous work of the application has the container's timeout again.
   */
  static SuspendedRequest put(
      HttpServletRequest request,
      HttpServletResponse response,
      ServletResponseWriter servletResponseWriter) {
    SuspendedRequest suspendedRequest =
        new SuspendedRequest(request.startAsync(request, response), servletResponseWriter);
    suspendedRequest.context.addListener(suspendedRequest);
    suspendedRequest.context.setTimeout(0);
    request.setAttribute(NAME, suspendedRequest);
    return suspendedRequest;
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
  void until(CompletableFuture<?> check, Attempt then) {
    check.whenComplete((decided, failure) -> attempt(() -> context.start(() -> attempt(then))));
  }

  /** Waits until the delay of a request is over. */
  void until(HeldCharge turn, DelayedRequests delayedRequests) {
    DelayedRequests.WaitingRequest taken =
        delayedRequests.hold(turn, () -> attempt(this::resume), () -> attempt(this::refuse));
    if (taken == null) {
      attempt(this::refuse);
    } else if (!keep(taken)) {
      taken.leave();
    }
  }

  private synchronized boolean keep(DelayedRequests.WaitingRequest taken) {
    waitingRequest = taken;
    return !hasEnded;
  }

  /** Dispatches the request again. */
  void resume() {
    context.dispatch();
  }

  /** Completes a request that was refused. */
  void complete() {
    context.complete();
  }

  private void refuse() throws IOException {
    servletResponseWriter.sendBusy((HttpServletRequest) context.getRequest(), response());
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
    DelayedRequests.WaitingRequest left;
    boolean isFirst;
    synchronized (this) {
      isFirst = !hasEnded;
      hasEnded = true;
      left = waitingRequest;
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
