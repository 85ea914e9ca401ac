package io.weir.redis;

/**
 * A second attempt of a call: with the script's text because Redis had forgotten it, or at the node
 * of a redirection. Its result is the result of the first call.
 */
final class Again extends Call {
  private final Call first;
  private final boolean withText;
  private final int hops;

  private Again(Call first, boolean withText, int hops) {
    super(first.script(), first.keys(), first.args());
    this.first = first;
    this.withText = withText;
    this.hops = hops;
  }

  static Again withText(Call call) {
    return call instanceof Again again
        ? new Again(again.first, true, again.hops)
        : new Again(call, true, 0);
  }

  static Again elsewhere(Call call) {
    return call instanceof Again again
        ? new Again(again.first, again.withText, again.hops + 1)
        : new Again(call, false, 1);
  }

  /** A new attempt that does not count earlier redirections. */
  static Again fromStart(Call call) {
    return call instanceof Again again
        ? new Again(again.first, again.withText, 0)
        : new Again(call, false, 0);
  }

  static boolean hasText(Call call) {
    return call instanceof Again again && again.withText;
  }

  /** How often a call has been redirected. */
  static int hops(Call call) {
    return call instanceof Again again ? again.hops : 0;
  }

  /** Whether the call has already ended. */
  static boolean isInVain(Call call) {
    return call instanceof Again again ? again.first.hasEnded() : call.hasEnded();
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
  void onAnswer(long[] reply) {
    first.answer(reply);
  }

  @Override
  void onFailure(Failure failure) {
    first.fail(failure);
  }
}
