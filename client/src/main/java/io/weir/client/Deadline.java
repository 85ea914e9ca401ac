package io.weir.client;

import io.weir.client.pace.Clockwork;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * By when a request is to be answered, if by any time.
 *
 * @param at in nanoseconds of the clockwork; means nothing unless set
 */
record Deadline(boolean isSet, long at) {
  /** There is time without end. */
  static final Deadline NONE = new Deadline(false, 0);

  /** So long from now; none if there is no limit. */
  static Deadline after(@Nullable Duration limit, Clockwork time) {
    return limit == null ? NONE : new Deadline(true, time.nanos() + limit.toNanos());
  }

  /** What is left of {@code most} and of the time until then. */
  long within(long most, long now) {
    return Math.max(0, isSet ? Math.min(most, at - now) : most);
  }

  boolean isBefore(long moment) {
    return isSet && at - moment <= 0;
  }

  /** The later of two. */
  Deadline or(Deadline other) {
    return !isSet || (other.isSet && at - other.at >= 0) ? this : other;
  }

  /** Fails what is not there by then. */
  void ends(CompletableFuture<?> result, Clockwork time, Supplier<String> reason) {
    if (isSet) {
      Clockwork.Alarm alarm =
          time.after(
              at - time.nanos(),
              () -> result.completeExceptionally(new HttpTimeoutException(reason.get())));
      var unused = result.whenComplete((value, failure) -> alarm.cancel());
    }
  }
}
