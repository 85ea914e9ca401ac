package io.weir.client;

import io.weir.client.pace.DelayScheduler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Discards a body that is not delivered, so that the connection can be reused. The request does not
 * wait for it. A long or slow body is cancelled.
 */
final class DiscardingSubscriber<T> implements BodySubscriber<@Nullable T> {
  private static final int MAX_BYTES = 64 * 1024;
  private static final long LONGEST = 1_000_000_000L;

  private final DelayScheduler time;
  private Flow.@Nullable Subscription subscription;
  private DelayScheduler.@Nullable ScheduledTask scheduledTask;
  private int bytes;

  DiscardingSubscriber(DelayScheduler time) {
    this.time = time;
  }

  @Override
  public CompletionStage<@Nullable T> getBody() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    this.subscription = subscription;
    scheduledTask = time.after(LONGEST, subscription::cancel);
    subscription.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      bytes += buffer.remaining();
    }
    if (subscription != null) {
      if (bytes > MAX_BYTES) {
        subscription.cancel();
        onComplete();
      } else {
        subscription.request(1);
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    onComplete();
  }

  @Override
  public void onComplete() {
    if (scheduledTask != null) {
      scheduledTask.cancel();
    }
  }
}
