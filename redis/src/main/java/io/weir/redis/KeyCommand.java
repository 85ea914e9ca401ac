package io.weir.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A message about one key that is sent alone, and the handler of its reply. */
abstract class KeyCommand<T> extends CompletableFuture<T> {
  final ScriptPlan by;
  final String key;
  private final CommandSender commandSender;
  private final Supplier<ScriptMessage> scriptMessage;

  KeyCommand(
      CommandSender commandSender,
      ScriptPlan by,
      String key,
      Supplier<ScriptMessage> scriptMessage) {
    this.commandSender = commandSender;
    this.by = by;
    this.key = key;
    this.scriptMessage = scriptMessage;
  }

  /**
   * See {@link ScriptCall#mustBeCopied}: a command without a grant, such as a peek, charges
   * nothing.
   */
  boolean mustBeCopied(long[] reply) {
    return ScriptPlan.granted(reply) > 0;
  }

  abstract void handleReply(long[] reply);

  abstract void failed(RedisFailure redisFailure);

  CompletableFuture<T> send() {
    commandSender.send(
        new ScriptExchange(commandSender, by, key, scriptMessage) {
          @Override
          boolean mustBeCopied(long[] reply) {
            return KeyCommand.this.mustBeCopied(reply);
          }

          @Override
          void handleReply(long[] reply) {
            KeyCommand.this.handleReply(reply);
          }

          @Override
          void onFailure(RedisFailure redisFailure) {
            failed(redisFailure);
          }
        });
    return this;
  }
}
