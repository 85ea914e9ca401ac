package io.weir.server.service;

import io.vertx.core.http.HttpServerRequest;
import io.weir.arbiter.Arbiter;
import io.weir.logs.RareLog;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.http.Proxies;
import io.weir.rules.http.Query;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.access.DecisionLog;
import io.weir.server.http.Counts;
import io.weir.server.http.Later;
import io.weir.server.http.Remote;
import io.weir.server.http.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/auth}: a proxy asks whether a request that it has received may pass.
 *
 * <p>Only trusted peers may ask, because the description of a request cannot be verified.
 */
final class Gatekeeper {
  private final RareLog log = new RareLog("io.weir.server");
  private final Arbiter arbiter;
  private final Answers answers;
  private final Proxies trusted;
  private final Originals originals;
  private final DecisionLog decisions;

  Gatekeeper(
      Arbiter arbiter,
      Answers answers,
      Proxies trusted,
      Originals originals,
      DecisionLog decisions) {
    this.decisions = decisions;
    this.arbiter = arbiter;
    this.answers = answers;
    this.trusted = trusted;
    this.originals = originals;
  }

  void ask(HttpServerRequest question) {
    Address peer = Remote.of(question);
    if (peer == null || !trusted.trusts(peer)) {
      // A proxy shows its client a 403 as an ordinary refusal, so the cause has to be logged.
      log.log(
          System.Logger.Level.WARNING,
          "/v1/auth was called by "
              + (peer == null ? "a peer without an address" : peer)
              + ", which is not in the setting auth_trusted_peers: 403 for all its clients",
          null);
      Replies.send(
          question,
          Replies.error(
              403,
              "untrusted_peer",
              "this address may not describe requests; add it to the setting auth_trusted_peers"));
      return;
    }
    Manner manner = Manner.of(question.query());
    try {
      Later.answer(
          question,
          arbiter.decide(originals.of(question, peer)),
          ruling -> {
            decisions.decided(question, ruling);
            Replies.send(question, answer(ruling, question, manner));
          });
    } catch (Originals.Untold e) { // a wrong configuration of the proxy
      Replies.send(question, Replies.malformed(question, String.valueOf(e.getMessage())));
    } catch (MalformedRequestException e) { // a mistake of its client
      Replies.send(
          question, manner.refused(Replies.malformed(question, String.valueOf(e.getMessage()))));
    }
  }

  private Answer answer(Ruling ruling, HttpServerRequest question, Manner manner) {
    if (ruling.allowed()) {
      List<Header> headers = new ArrayList<>(answers.headers(ruling));
      headers.add(new Header("Cache-Control", "no-store"));
      return new Answer(200, headers, "");
    }
    Answer refusal = answers.refusal(ruling, question.getHeader("Accept"));
    return ruling.isError() ? refusal : manner.refused(refusal);
  }

  /**
   * The response format that the proxy asks for. It cannot set a cost: a proxy may pass its
   * client's own query on, and a client must not choose its cost.
   *
   * @param status the status of a refusal; null: unchanged
   */
  private record Manner(@Nullable Integer status) {
    static Manner of(@Nullable String query) {
      Map<String, String> parameters = Query.parameters(query == null ? "" : query, 2);
      String status = parameters.remove("status");
      if (!parameters.isEmpty()) {
        throw new MalformedRequestException(
            "unknown parameter '"
                + parameters.keySet().iterator().next()
                + "'; there is only 'status'");
      }
      return new Manner(status == null ? null : status(Counts.parse(status, "'status'")));
    }

    private static int status(long status) {
      if (status < 400 || status > 599) {
        throw new MalformedRequestException("'status' must be from 400 to 599");
      }
      return (int) status;
    }

    Answer refused(Answer refusal) {
      return status == null ? refusal : new Answer(status, refusal.headers(), refusal.body());
    }
  }
}
