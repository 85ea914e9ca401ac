package io.weir.server.service;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.arbiter.Arbiter;
import io.weir.rules.http.Json;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.Bodies;
import io.weir.server.http.JsonInput;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@code /v1/check}: checks and charges a request. */
final class Checks {
  static final int LONGEST = 64 * 1024;
  static final int LONGEST_LIST = 1024 * 1024;

  private final Bodies bodies;
  private final Arbiter arbiter;
  private final Findings findings;

  private final Paths paths;

  Checks(Bodies bodies, Arbiter arbiter, Findings findings, Paths paths) {
    this.bodies = bodies;
    this.arbiter = arbiter;
    this.findings = findings;
    this.paths = paths;
  }

  /** {@code GET}: the query has the attributes and the cost. */
  void get(HttpServerRequest request) {
    decide(request, Form.question(request.query()));
  }

  /** {@code POST}: the body is one request, or a list of them. */
  void post(HttpServerRequest request) {
    bodies.read(request, LONGEST_LIST, body -> post(request, body));
  }

  private void post(HttpServerRequest request, Buffer body) {
    JsonInput in = JsonInput.of(body);
    if (in.isList()) {
      List<Question> questions = Form.questions(in);
      in.end();
      decide(request, questions);
      return;
    }
    if (body.length() > LONGEST) {
      throw new Bodies.TooLarge(LONGEST);
    }
    if (in.isEmpty()) {
      throw new MalformedRequestException(
          "the body is empty; it must be JSON such as {\"attributes\":{\"user\":\"42\"}}");
    }
    Question question = Form.question(in, "the body");
    in.end();
    decide(request, question);
  }

  private void decide(HttpServerRequest request, Question question) {
    Later.answer(
        request,
        arbiter.decide(paths.question(question)),
        ruling -> findings.send(request, ruling));
  }

  /**
   * Starts all checks before the first one completes, in order: a remote store also gets them in
   * that order. An invalid one gets an error in its place; the others are charged by then.
   */
  private void decide(HttpServerRequest request, List<Question> questions) {
    List<CompletableFuture<String>> found = new ArrayList<>(questions.size());
    for (Question question : questions) {
      found.add(element(question));
    }
    CompletableFuture<Void> all = CompletableFuture.allOf(found.toArray(CompletableFuture[]::new));
    Later.answer(
        request,
        all.thenApply(done -> found.stream().map(CompletableFuture::join).toList()),
        elements -> Replies.send(request, Findings.list(elements)));
  }

  private CompletableFuture<String> element(Question question) {
    try {
      return arbiter
          .decide(paths.question(question))
          .thenApply(findings::element)
          .toCompletableFuture();
    } catch (MalformedRequestException e) {
      return CompletableFuture.completedFuture(
          new Json()
              .open()
              .text("error", "bad_request")
              .text("message", String.valueOf(e.getMessage()))
              .close()
              .toString());
    }
  }
}
