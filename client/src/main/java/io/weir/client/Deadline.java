package io.weir.client;

import io.weir.client.pace.DelayScheduler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of a request, if it has one.
 *
 * @param at in nanoseconds of the client's clock; meaningless unless set
 */
record Deadline(boolean isSet, long at) {
  /** No deadline. */
  static final Deadline NONE = new Deadline(false, 0);

  /** A deadline this long from now; none if there is no limit. */
  static Deadline after(@Nullable Duration limit, DelayScheduler time) {
    return limit == null ? NONE : new Deadline(true, time.nanos() + limit.toNanos());
  }

  /** The smaller of {@code limit} and the time left until the deadline. */
  long within(long limit, long now) {
    return Math.max(0, isSet ? Math.min(limit, at - now) : limit);
  }

  boolean isBefore(long moment) {
    return isSet && at - moment <= 0;
  }

  /** The later of two. */
  Deadline or(Deadline other) {
    return !isSet || (other.isSet && at - other.at >= 0) ? this : other;
  }

  /** Fails the future with a timeout if it is incomplete at the deadline. */
  void ends(CompletableFuture<?> result, DelayScheduler time, Supplier<String> reason) {
    if (isSet) {
      DelayScheduler.ScheduledTask scheduledTask =
          time.after(
              at - time.nanos(),
              () -> result.completeExceptionally(new HttpTimeoutException(reason.get())));
      var unused = result.whenComplete((value, failure) -> scheduledTask.cancel());
    }
  }
}
