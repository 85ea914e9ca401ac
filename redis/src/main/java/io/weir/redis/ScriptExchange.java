package io.weir.redis;

import java.util.function.Supplier;

/**
 * A message to the buckets of one key, and its reply.
 *
 * <p>Redis does not know the calendar. If its clock is in another window than the message assumed,
 * the reply says so, and the message is written again.
 */
abstract class ScriptExchange extends ScriptCall {
  private static final int MAX_TRIES = 3;

  private final CommandSender commandSender;
  private final ScriptPlan scriptPlan;
  private final Supplier<ScriptMessage> scriptMessage;
  private final byte[][] keys;
  private final int tries;

  ScriptExchange(
      CommandSender commandSender,
      ScriptPlan scriptPlan,
      String key,
      Supplier<ScriptMessage> scriptMessage) {
    this(
        commandSender,
        scriptPlan,
        scriptPlan.keys(key),
        scriptMessage,
        scriptMessage.get(),
        CallMemory.ofKey(key.length()),
        1);
  }

  private ScriptExchange(
      CommandSender commandSender,
      ScriptPlan scriptPlan,
      byte[][] keys,
      Supplier<ScriptMessage> scriptMessage,
      ScriptMessage written,
      int bytes,
      int tries) {
    super(written.script(), keys, written.args(), bytes);
    this.commandSender = commandSender;
    this.scriptPlan = scriptPlan;
    this.keys = keys;
    this.scriptMessage = scriptMessage;
    this.tries = tries;
  }

  /** The reply has arrived. */
  abstract void handleReply(long[] reply);

  @Override
  final boolean isReply(long[] reply) {
    return scriptPlan.isReply(reply);
  }

  @Override
  final void onReply(long[] reply) {
    try {
      if (scriptPlan.isMisdated(reply) && tries < MAX_TRIES) {
        commandSender.send(new Again(this));
      } else {
        handleReply(reply);
      }
    } catch (RuntimeException e) { // a failed handler must not leave the caller waiting
      onFailure(
          new RedisFailure(RedisFailure.Kind.OTHER, "cannot make sense of the reply: " + e, true));
    }
  }

  /** The same message, written again. */
  private static final class Again extends ScriptExchange {
    private final ScriptExchange first;

    Again(ScriptExchange before) {
      super(
          before.commandSender,
          before.scriptPlan,
          before.keys,
          before.scriptMessage,
          before.scriptMessage.get(),
          before.heldBytes(),
          before.tries + 1);
      this.first = before;
    }

    @Override
    boolean mustBeCopied(long[] reply) {
      return first.mustBeCopied(reply);
    }

    @Override
    void handleReply(long[] reply) {
      first.handleReply(reply);
    }

    @Override
    void onFailure(RedisFailure redisFailure) {
      first.onFailure(redisFailure);
    }
  }
}
