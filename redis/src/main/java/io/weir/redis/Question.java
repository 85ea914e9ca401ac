package io.weir.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A message about one key that is sent alone, and the handler of its reply. */
abstract class Question<T> extends CompletableFuture<T> {
  final Plan by;
  final String key;
  private final Desk desk;
  private final Supplier<Message> message;

  Question(Desk desk, Plan by, String key, Supplier<Message> message) {
    this.desk = desk;
    this.by = by;
    this.key = key;
    this.message = message;
  }

  /** See {@link Call#mustBeCopied}: a question without a grant, such as a peek, charges nothing. */
  boolean mustBeCopied(long[] reply) {
    return Plan.granted(reply) > 0;
  }

  abstract void answered(long[] reply);

  abstract void failed(Failure failure);

  CompletableFuture<T> ask() {
    desk.ask(
        new Exchange(desk, by, key, message) {
          @Override
          boolean mustBeCopied(long[] reply) {
            return Question.this.mustBeCopied(reply);
          }

          @Override
          void answered(long[] reply) {
            Question.this.answered(reply);
          }

          @Override
          void onFailure(Failure failure) {
            failed(failure);
          }
        });
    return this;
  }
}
