package io.weir.redis;

/**
 * A second attempt of a call: with the script's text because Redis had forgotten it, or at the node
 * of a redirection. Its result is the result of the first call.
 */
final class RetriedCall extends ScriptCall {
  private final ScriptCall first;
  private final boolean withText;
  private final int hops;

  private RetriedCall(ScriptCall first, boolean withText, int hops) {
    super(first.script(), first.keys(), first.args());
    this.first = first;
    this.withText = withText;
    this.hops = hops;
  }

  static RetriedCall withText(ScriptCall scriptCall) {
    return scriptCall instanceof RetriedCall retriedCall
        ? new RetriedCall(retriedCall.first, true, retriedCall.hops)
        : new RetriedCall(scriptCall, true, 0);
  }

  static RetriedCall redirected(ScriptCall scriptCall) {
    return scriptCall instanceof RetriedCall retriedCall
        ? new RetriedCall(retriedCall.first, retriedCall.withText, retriedCall.hops + 1)
        : new RetriedCall(scriptCall, false, 1);
  }

  /** A new attempt that does not count earlier redirections. */
  static RetriedCall fromStart(ScriptCall scriptCall) {
    return scriptCall instanceof RetriedCall retriedCall
        ? new RetriedCall(retriedCall.first, retriedCall.withText, 0)
        : new RetriedCall(scriptCall, false, 0);
  }

  static boolean hasText(ScriptCall scriptCall) {
    return scriptCall instanceof RetriedCall retriedCall && retriedCall.withText;
  }

  /** How often a call has been redirected. */
  static int hops(ScriptCall scriptCall) {
    return scriptCall instanceof RetriedCall retriedCall ? retriedCall.hops : 0;
  }

  /** Whether the call has already ended. */
  static boolean isInVain(ScriptCall scriptCall) {
    return scriptCall instanceof RetriedCall retriedCall
        ? retriedCall.first.hasEnded()
        : scriptCall.hasEnded();
  }

  @Override
  boolean departs() {
    return first.departs();
  }

  @Override
  void returned() {
    first.returned();
  }

  @Override
  boolean isReply(long[] reply) {
    return first.isReply(reply);
  }

  @Override
  boolean mustBeCopied(long[] reply) {
    return first.mustBeCopied(reply);
  }

  @Override
  void onReply(long[] reply) {
    first.complete(reply);
  }

  @Override
  void onFailure(RedisFailure redisFailure) {
    first.fail(redisFailure);
  }
}
