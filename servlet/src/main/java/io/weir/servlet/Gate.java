package io.weir.servlet;

import io.weir.front.Judge;
import io.weir.front.Step;
import io.weir.front.Turns;
import io.weir.node.Node;
import io.weir.rules.Held;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** What each request comes by: it goes on, is answered, or waits. */
final class Gate {
  private final Object by;
  private final Judge judge;
  private final HeadReader reader;
  private final Waiting waiting;
  private final Turns turns;
  private final boolean isPart;

  /**
   * @param by what it judges by: a node, or those of its rules that a filter is for
   */
  Gate(Object by, Judge judge, HeadReader reader, Waiting waiting, Turns turns) {
    this.by = by;
    this.judge = judge;
    this.reader = reader;
    this.waiting = waiting;
    this.turns = turns;
    this.isPart = !(by instanceof Node);
  }

  /**
   * Whether a request goes on, now and in this thread. If not, it was answered, or it is dispatched
   * again when it may go on.
   */
  boolean lets(HttpServletRequest request, HttpServletResponse response) throws IOException {
    if (!Judged.first(request, by)) {
      return true;
    }
    CompletableFuture<?> asked = judge.ask(() -> reader.read(request));
    if (!asked.isDone()) {
      if (mayLeave(request)) {
        Aside.put(request, response, judge, turns).until(asked);
        return false;
      }
      judge.await(asked);
    }
    Step step = judge.step(asked, request.getHeader("Accept"), Judged.soFar(request));
    return obey(step, request, response);
  }

  private boolean obey(Step step, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!(step instanceof Step.Pass pass)) {
      Reply.send(step, request, response);
      return false;
    }
    if (Judged.soFar(request) == null) {
      Reply.tell(pass.limits(), response);
    } else {
      Reply.tellAgain(pass.limits(), response);
    }
    if (isPart) {
      Judged.note(request, pass.ruling());
    }
    Held turn = pass.turn();
    if (turn == null) {
      return true;
    }
    if (mayLeave(request)) {
      Aside.put(request, response, judge, turns).until(turn);
      return false;
    }
    boolean isTurn = turns.await(turn);
    if (!isTurn) {
      Reply.sendBusy(request, response);
    }
    return isTurn;
  }

  private boolean mayLeave(HttpServletRequest request) {
    return waiting == Waiting.ASYNC && request.isAsyncSupported() && !request.isAsyncStarted();
  }

  int held() {
    return turns.held();
  }

  void close() {
    turns.close();
  }
}
