package io.weir.redis;

import java.util.function.Supplier;

/** A question without a result other than success. */
abstract class Correction extends Question<Void> {
  private final Refusals refusals;

  Correction(Desk desk, Refusals refusals, Plan by, String key, Supplier<Message> message) {
    super(desk, by, key, message);
    this.refusals = refusals;
  }

  /** A charge that a correction adds counts like any other. */
  @Override
  boolean mustBeCopied(long[] reply) {
    return true;
  }

  @Override
  final void answered(long[] reply) {
    if (by.isMisdated(reply)) {
      failed(new Failure(Failure.Kind.OTHER, "the clocks of Redis and of this node disagree"));
      return;
    }
    done();
    refusals.forget(by, key);
    complete(null);
  }

  /** Updates local state before the caller is notified. */
  void done() {}
}
