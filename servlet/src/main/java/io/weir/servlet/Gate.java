package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.RequestInParts;
import io.weir.front.Step;
import io.weir.front.Turns;
import io.weir.node.Node;
import io.weir.rules.Held;
import io.weir.rules.Ruling;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Checks each request: it passes, is answered, or waits. */
final class Gate {
  private final Object by;
  private final Judge judge;
  private final HeadReader reader;
  private final Reply reply;
  private final Waiting waiting;
  private final Turns turns;
  private final boolean isPart;
  private final BooleanSupplier isLast;

  /**
   * @param by the identity it checks for: a node, or a subset of its rules
   * @param isLast whether no later filter checks another subset of the rules
   */
  Gate(
      Object by,
      Judge judge,
      HeadReader reader,
      Reply reply,
      Waiting waiting,
      Turns turns,
      BooleanSupplier isLast) {
    this.by = by;
    this.judge = judge;
    this.reader = reader;
    this.reply = reply;
    this.waiting = waiting;
    this.turns = turns;
    this.isPart = !(by instanceof Node);
    this.isLast = isLast;
  }

  /**
   * Whether a request passes now, in this thread. If not, it was answered, or is dispatched again
   * later.
   */
  boolean lets(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Judged mark = Judged.first(request, by);
    if (mark == null) {
      return true;
    }
    if (isPart) {
      mark.count(judge).ask();
    }
    CompletableFuture<?> asked = judge.ask(() -> reader.read(request));
    if (!asked.isDone()) {
      if (mayLeave(request)) {
        Aside aside = Aside.put(request, response, reply);
        aside.until(asked, () -> obey(asked, mark, aside, request, response));
        return false;
      }
      judge.await(asked);
    }
    Step.Pass pass = pass(asked, mark, request, response);
    Held turn = pass == null ? null : pass.turn();
    return turn == null ? pass != null : isTurn(turn, request, response);
  }

  /** Ends a request that passed. */
  void end(HttpServletRequest request) {
    Judged mark = isPart ? Judged.mark(request, by) : null;
    RequestInParts count = mark == null ? null : mark.begun();
    if (count != null) {
      count.end();
    }
  }

  private boolean isTurn(Held turn, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (mayLeave(request)) {
      Aside.put(request, response, reply).until(turn, turns);
      return false;
    }
    boolean isTurn = turns.await(turn);
    if (!isTurn) {
      reply.sendBusy(request, response);
    }
    return isTurn;
  }

  private void obey(
      CompletableFuture<?> asked,
      Judged mark,
      Aside aside,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    Step.Pass pass = pass(asked, mark, request, response);
    if (pass == null) {
      aside.complete();
    } else if (pass.turn() == null) {
      aside.resume();
    } else {
      aside.until(pass.turn(), turns);
    }
  }

  /** The step that lets a request pass, with its response headers; null if it was answered. */
  private Step.@Nullable Pass pass(
      CompletableFuture<?> asked,
      Judged mark,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    Ruling before = mark.soFar();
    Step step = judge.step(asked, () -> request.getHeader("Accept"), before);
    if (isPart) {
      mark.count(judge).step(step, isLast.getAsBoolean());
    }
    if (!(step instanceof Step.Pass pass)) {
      reply.send(step, request, response);
      return null;
    }
    try {
      if (before == null) {
        Reply.tell(pass.limits(), response);
      } else {
        Reply.tellAgain(pass.limits(), response);
      }
      if (isPart) {
        mark.note(pass.ruling());
      }
      return pass;
    } catch (RuntimeException | Error e) {
      if (pass.turn() != null) {
        pass.turn().settle(0);
      }
      throw e;
    }
  }

  private boolean mayLeave(HttpServletRequest request) {
    return waiting == Waiting.ASYNC && request.isAsyncSupported() && !request.isAsyncStarted();
  }

  /** Answers a request after its check failed. */
  void refuse(HttpServletRequest request, HttpServletResponse response) throws IOException {
    reply.sendBusy(request, response);
  }

  int held() {
    return turns.held();
  }

  void close() {
    turns.close();
  }
}
