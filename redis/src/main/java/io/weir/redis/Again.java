package io.weir.redis;

/**
 * A call on its way a second time: with the script's text because Redis had forgotten it, or to the
 * node that another has named. Its end is the end of the first.
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

  /** The call once more, as if it had not been sent elsewhere yet. */
  static Again fromStart(Call call) {
    return call instanceof Again again
        ? new Again(again.first, again.withText, 0)
        : new Again(call, false, 0);
  }

  static boolean hasText(Call call) {
    return call instanceof Again again && again.withText;
  }

  /** How often a call has been sent elsewhere. */
  static int hops(Call call) {
    return call instanceof Again again ? again.hops : 0;
  }

  /** Whether nobody waits for the call any more. */
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
