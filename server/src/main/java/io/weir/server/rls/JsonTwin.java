package io.weir.server.rls;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.arbiter.Arbiter;
import io.weir.rules.DescriptorQuestion;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.http.Header;
import io.weir.server.access.DecisionLog;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.http.Bodies;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
import java.util.List;

/** {@code POST /json}: the rate limit service for clients without gRPC. */
final class JsonTwin implements Handler<HttpServerRequest> {
  private final Bodies bodies;
  private final Arbiter arbiter;
  private final Replier replier;
  private final Peers peers;
  private final DecisionLog log;

  JsonTwin(Bodies bodies, Arbiter arbiter, Replier replier, Peers peers, DecisionLog log) {
    this.log = log;
    this.bodies = bodies;
    this.arbiter = arbiter;
    this.replier = replier;
    this.peers = peers;
  }

  @Override
  public void handle(HttpServerRequest request) {
    bodies.read(request, GrpcServer.LONGEST_MESSAGE, body -> decide(request, body));
  }

  private void decide(HttpServerRequest request, Buffer body) {
    DescriptorQuestion question = JsonQuestion.read(body.getBytes());
    if (peers.mayAsk(request, question)) {
      Later.answer(request, arbiter.decide(question), ruling -> answer(request, question, ruling));
    } else {
      Replies.send(request, Replies.error(403, "forbidden", Peers.MUST_BE_KNOWN));
    }
  }

  private void answer(
      HttpServerRequest request, DescriptorQuestion question, DescriptorRuling ruling) {
    log.decided(request, ruling);
    if (ruling.isError()) {
      Replies.send(
          request,
          Replies.error(503, "limiter_unavailable", RateLimitService.UNAVAILABLE),
          List.of(new Header("Retry-After", "1")));
      return;
    }
    Reply reply = replier.reply(question, ruling);
    Replies.send(
        request, Replies.json(reply.isOver() ? 429 : 200, JsonReply.write(reply)), reply.headers());
  }
}
