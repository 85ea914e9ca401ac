package io.weir.server.service;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.decision.DecisionEngine;
import io.weir.rules.http.JsonWriter;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.Bodies;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.JsonInput;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/check}: checks and charges a request. */
final class CheckApi {
  static final int MAX_BODY_BYTES = 64 * 1024;
  static final int MAX_LIST_BYTES = 1024 * 1024;

  private final Bodies bodies;
  private final DecisionEngine decisionEngine;
  private final CheckResponseWriter checkResponseWriter;

  private final PathNormalizer pathNormalizer;

  CheckApi(
      Bodies bodies,
      DecisionEngine decisionEngine,
      CheckResponseWriter checkResponseWriter,
      PathNormalizer pathNormalizer) {
    this.bodies = bodies;
    this.decisionEngine = decisionEngine;
    this.checkResponseWriter = checkResponseWriter;
    this.pathNormalizer = pathNormalizer;
  }

  /** {@code GET}: the query has the attributes and the cost. */
  void get(HttpServerRequest request) {
    decide(request, 0, ServiceRequestBody.parse(request.query()));
  }

  /** {@code POST}: the body is one request, or a list of them. */
  void post(HttpServerRequest request) {
    bodies.read(request, MAX_LIST_BYTES, body -> post(request, body));
  }

  private void post(HttpServerRequest request, Buffer body) {
    JsonInput in = JsonInput.of(body);
    if (in.isList()) {
      List<CheckRequest> checkRequests = ServiceRequestBody.questions(in);
      in.end();
      decide(request, body.length(), checkRequests);
      return;
    }
    if (body.length() > MAX_BODY_BYTES) {
      throw new Bodies.TooLargeException(MAX_BODY_BYTES);
    }
    if (in.isEmpty()) {
      throw new MalformedRequestException(
          "the body is empty; it must be JSON such as {\"attributes\":{\"user\":\"42\"}}");
    }
    CheckRequest checkRequest = ServiceRequestBody.parse(in, "the body");
    in.end();
    decide(request, body.length(), checkRequest);
  }

  private void decide(HttpServerRequest request, int length, CheckRequest checkRequest) {
    EventLoops.respond(
        request,
        bodies.keepUntil(
            length, () -> decisionEngine.decide(pathNormalizer.normalize(checkRequest))),
        requestDecision -> checkResponseWriter.send(request, requestDecision));
  }

  /**
   * Starts all checks before the first one completes, in order: a remote store also gets them in
   * that order. An invalid one gets an error in its place; the others are charged by then.
   */
  private void decide(HttpServerRequest request, int length, List<CheckRequest> checkRequests) {
    EventLoops.respond(
        request,
        bodies.keepUntil(length, () -> elements(checkRequests)),
        elements -> HttpResponses.send(request, CheckResponseWriter.list(elements)));
  }

  private CompletionStage<List<String>> elements(List<CheckRequest> checkRequests) {
    List<CompletableFuture<String>> found = new ArrayList<>(checkRequests.size());
    for (CheckRequest checkRequest : checkRequests) {
      found.add(element(checkRequest));
    }
    CompletableFuture<Void> all = CompletableFuture.allOf(found.toArray(CompletableFuture[]::new));
    return all.thenApply(done -> found.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<String> element(CheckRequest checkRequest) {
    try {
      return decisionEngine
          .decide(pathNormalizer.normalize(checkRequest))
          .thenApply(checkResponseWriter::element)
          .toCompletableFuture();
    } catch (MalformedRequestException e) {
      return CompletableFuture.completedFuture(
          new JsonWriter()
              .open()
              .text("error", "bad_request")
              .text("message", String.valueOf(e.getMessage()))
              .close()
              .toString());
    }
  }
}
