package io.weir.redis;

import java.util.function.Supplier;

/** A command without a result other than success. */
abstract class CorrectionCommand extends KeyCommand<Void> {
  private final DenialCache denialCache;

  CorrectionCommand(
      CommandSender commandSender,
      DenialCache denialCache,
      ScriptPlan by,
      String key,
      Supplier<ScriptMessage> scriptMessage) {
    super(commandSender, by, key, scriptMessage);
    this.denialCache = denialCache;
  }

  /** A charge that a correction adds counts like any other. */
  @Override
  boolean mustBeCopied(long[] reply) {
    return true;
  }

  @Override
  final void handleReply(long[] reply) {
    if (by.isMisdated(reply)) {
      failed(
          new RedisFailure(
              RedisFailure.Kind.OTHER, "the clocks of Redis and of this node disagree"));
      return;
    }
    done();
    denialCache.forget(by, key);
    complete(null);
  }

  /** Updates local state before the caller is notified. */
  void done() {}
}
