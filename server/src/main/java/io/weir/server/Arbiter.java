package io.weir.server;

import io.weir.rules.Bucket;
import io.weir.rules.DescriptorQuestion;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Held;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The one decision path of all fronts: what a front asks is decided by the rules in force, and
 * counted.
 *
 * <p>A stage that needs no store elsewhere is complete when it is returned; others complete on a
 * thread of the store, from which a front goes back to its own at once.
 */
public final class Arbiter {
  private final RequestLimiter limiter;
  private final Tally tally;

  public Arbiter(RequestLimiter limiter, Tally tally) {
    this.limiter = limiter;
    this.tally = tally;
  }

  /**
   * Charges a request.
   *
   * @throws io.weir.rules.match.MalformedRequestException if the request cannot be judged
   */
  public CompletionStage<Ruling> decide(Request request) {
    return limiter
        .checkAsync(request)
        .thenApply(
            ruling -> {
              tally.count(ruling);
              return ruling;
            });
  }

  /** Charges descriptors. */
  public CompletionStage<DescriptorRuling> decide(DescriptorQuestion question) {
    return limiter
        .checkAsync(question)
        .thenApply(
            ruling -> {
              ruling.answers().forEach(answer -> tally.count(answer.ruling()));
              return ruling;
            });
  }

  /** Charges a request at a cost that is corrected afterwards. */
  public CompletionStage<Held> hold(Request request) {
    return limiter
        .hold(request)
        .thenApply(
            held -> {
              tally.count(held.ruling());
              return held;
            });
  }

  /** The buckets of a rule for one caller. */
  public List<Bucket> buckets(Rule rule, Request who) {
    return limiter.buckets(rule, who);
  }

  /** The rules in force. */
  public RuleSet rules() {
    return limiter.rules();
  }
}
