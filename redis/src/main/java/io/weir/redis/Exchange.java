package io.weir.redis;

import java.util.function.Supplier;

/**
 * A message to the buckets of one key, and its reply.
 *
 * <p>Redis does not know the calendar. If its clock is in another window than the message assumed,
 * the reply says so, and the message is written again.
 */
abstract class Exchange extends Call {
  private static final int MOST_TRIES = 3;

  private final Desk desk;
  private final Plan plan;
  private final Supplier<Message> message;
  private final byte[][] keys;
  private final int tries;

  Exchange(Desk desk, Plan plan, String key, Supplier<Message> message) {
    this(desk, plan, plan.keys(key), message, message.get(), 1);
  }

  private Exchange(
      Desk desk, Plan plan, byte[][] keys, Supplier<Message> message, Message written, int tries) {
    super(written.script(), keys, written.args());
    this.desk = desk;
    this.plan = plan;
    this.keys = keys;
    this.message = message;
    this.tries = tries;
  }

  /** The reply has arrived. */
  abstract void answered(long[] reply);

  @Override
  final boolean isReply(long[] reply) {
    return plan.isReply(reply);
  }

  @Override
  final void onAnswer(long[] reply) {
    try {
      if (plan.isMisdated(reply) && tries < MOST_TRIES) {
        desk.ask(new Again(this));
      } else {
        answered(reply);
      }
    } catch (RuntimeException e) { // a failed handler must not leave the caller waiting
      onFailure(new Failure(Failure.Kind.OTHER, "cannot make sense of the reply: " + e, true));
    }
  }

  /** The same message, written again. */
  private static final class Again extends Exchange {
    private final Exchange first;

    Again(Exchange before) {
      super(
          before.desk,
          before.plan,
          before.keys,
          before.message,
          before.message.get(),
          before.tries + 1);
      this.first = before;
    }

    @Override
    boolean mustBeCopied(long[] reply) {
      return first.mustBeCopied(reply);
    }

    @Override
    void answered(long[] reply) {
      first.answered(reply);
    }

    @Override
    void onFailure(Failure failure) {
      first.onFailure(failure);
    }
  }
}
