package io.weir.servlet;

import io.weir.embedded.DelayedRequests;
import io.weir.embedded.FilterAction;
import io.weir.embedded.MultiPhaseRequest;
import io.weir.embedded.RequestGuard;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import io.weir.runtime.Node;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Checks each request: it passes, is refused, or waits. */
final class ServletRequestLimiter {
  private final Object by;
  private final RequestGuard requestGuard;
  private final ServletRequestReader reader;
  private final ServletResponseWriter servletResponseWriter;
  private final Waiting waiting;
  private final DelayedRequests delayedRequests;
  private final boolean isPart;
  private final BooleanSupplier isLast;

  /**
   * @param by the identity it checks for: a node, or a subset of its rules
   * @param isLast whether no later filter checks another subset of the rules
   */
  ServletRequestLimiter(
      Object by,
      RequestGuard requestGuard,
      ServletRequestReader reader,
      ServletResponseWriter servletResponseWriter,
      Waiting waiting,
      DelayedRequests delayedRequests,
      BooleanSupplier isLast) {
    this.by = by;
    this.requestGuard = requestGuard;
    this.reader = reader;
    this.servletResponseWriter = servletResponseWriter;
    this.waiting = waiting;
    this.delayedRequests = delayedRequests;
    this.isPart = !(by instanceof Node);
    this.isLast = isLast;
  }

  /**
   * Whether a request passes now, in this thread. If not, it was refused, or is dispatched again
   * later.
   */
  boolean passesNow(HttpServletRequest request, HttpServletResponse response) throws IOException {
    DecisionMarker mark = DecisionMarker.first(request, by);
    if (mark == null) {
      return true;
    }
    if (isPart) {
      mark.count(requestGuard).begin();
    }
    CompletableFuture<?> check = requestGuard.check(() -> reader.read(request));
    if (!check.isDone()) {
      if (maySuspend(request)) {
        SuspendedRequest suspendedRequest =
            SuspendedRequest.put(request, response, servletResponseWriter);
        suspendedRequest.until(
            check, () -> apply(check, mark, suspendedRequest, request, response));
        return false;
      }
      requestGuard.await(check);
    }
    FilterAction.Pass pass = pass(check, mark, request, response);
    HeldCharge turn = pass == null ? null : pass.turn();
    return turn == null ? pass != null : isTurn(turn, request, response);
  }

  /** Ends a request that passed. */
  void end(HttpServletRequest request) {
    DecisionMarker mark = isPart ? DecisionMarker.mark(request, by) : null;
    MultiPhaseRequest count = mark == null ? null : mark.begun();
    if (count != null) {
      count.end();
    }
  }

  private boolean isTurn(HeldCharge turn, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (maySuspend(request)) {
      SuspendedRequest.put(request, response, servletResponseWriter).until(turn, delayedRequests);
      return false;
    }
    boolean isTurn = delayedRequests.await(turn);
    if (!isTurn) {
      servletResponseWriter.sendBusy(request, response);
    }
    return isTurn;
  }

  private void apply(
      CompletableFuture<?> check,
      DecisionMarker mark,
      SuspendedRequest suspendedRequest,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    FilterAction.Pass pass = pass(check, mark, request, response);
    if (pass == null) {
      suspendedRequest.complete();
    } else if (pass.turn() == null) {
      suspendedRequest.resume();
    } else {
      suspendedRequest.until(pass.turn(), delayedRequests);
    }
  }

  /** The action that lets a request pass, with its response headers; null if it was refused. */
  private FilterAction.@Nullable Pass pass(
      CompletableFuture<?> check,
      DecisionMarker mark,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    RequestDecision before = mark.soFar();
    FilterAction filterAction = requestGuard.step(check, () -> request.getHeader("Accept"), before);
    if (isPart) {
      mark.count(requestGuard).step(filterAction, isLast.getAsBoolean());
    }
    if (!(filterAction instanceof FilterAction.Pass pass)) {
      servletResponseWriter.send(filterAction, request, response);
      return null;
    }
    try {
      if (before == null) {
        ServletResponseWriter.addHeaders(pass.limits(), response);
      } else {
        ServletResponseWriter.replaceHeaders(pass.limits(), response);
      }
      if (isPart) {
        mark.add(pass.requestDecision());
      }
      return pass;
    } catch (RuntimeException | Error e) {
      if (pass.turn() != null) {
        pass.turn().settle(0);
      }
      throw e;
    }
  }

  private boolean maySuspend(HttpServletRequest request) {
    return waiting == Waiting.ASYNC && request.isAsyncSupported() && !request.isAsyncStarted();
  }

  /** Refuses a request after its check failed. */
  void refuse(HttpServletRequest request, HttpServletResponse response) throws IOException {
    servletResponseWriter.sendBusy(request, response);
  }

  int held() {
    return delayedRequests.held();
  }

  void close() {
    delayedRequests.close();
  }
}
