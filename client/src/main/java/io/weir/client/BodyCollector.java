package io.weir.client;

import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects a body that several callers may share. A body that turns out too large is passed on,
 * including the part collected so far, to the caller that started the request. The other callers do
 * not receive it. The body stage completes with the downstream one, so cancelling the request
 * cancels both.
 */
final class BodyCollector<T> implements BodySubscriber<BodyCollector.Body<T>> {
  private final ResponseInfo head;
  private final Supplier<@Nullable BodySubscriber<T>> taker;
  private final int maxBytes;
  private final CompletableFuture<Body<T>> body = new CompletableFuture<>();
  private final List<ByteBuffer> collected = new ArrayList<>();
  private long bytes;
  private Flow.@Nullable Subscription source;
  private Flow.@Nullable Subscriber<List<ByteBuffer>> rest;

  /**
   * Creates a collector for one body.
   *
   * @param taker supplies the subscriber for a body that is too large; null if its caller no longer
   *     waits
   */
  BodyCollector(ResponseInfo head, Supplier<@Nullable BodySubscriber<T>> taker, int maxBytes) {
    this.head = head;
    this.taker = taker;
    this.maxBytes = maxBytes;
  }

  /**
   * A body: collected in full, or the result of its subscriber.
   *
   * @param whole null if the body was too large
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Body<T>(byte @Nullable [] whole, @Nullable T taken) {}

  @Override
  public CompletionStage<Body<T>> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    if (length() > maxBytes) {
      handOn(subscription);
    } else {
      subscription.request(1);
    }
  }

  private long length() {
    try {
      return head.headers().firstValueAsLong("Content-Length").orElse(0);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (rest != null) {
      rest.onNext(buffers);
      return;
    }
    if (body.isDone()) { // already requested when the body was cancelled
      return;
    }
    collected.addAll(buffers);
    buffers.forEach(buffer -> bytes += buffer.remaining());
    if (source != null && bytes > maxBytes) {
      handOn(source);
    } else if (source != null) {
      source.request(1);
    }
  }

  private void handOn(Flow.Subscription from) {
    try {
      BodySubscriber<T> to = taker.get();
      if (to == null) {
        end(from, new CancellationException("no caller waits for the body"));
        return;
      }
      var unused =
          to.getBody()
              .whenComplete(
                  (taken, failure) -> {
                    if (failure == null) {
                      body.complete(new Body<>(null, taken));
                    } else {
                      body.completeExceptionally(failure);
                    }
                  });
      rest = collected.isEmpty() ? to : new BodyRelay(to, from, List.copyOf(collected));
      collected.clear();
      if (rest instanceof BodyRelay bodyRelay) {
        to.onSubscribe(bodyRelay);
      } else {
        to.onSubscribe(from);
      }
    } catch (Throwable thrown) { // from the caller's handler
      end(from, thrown);
    }
  }

  private void end(Flow.Subscription from, Throwable reason) {
    from.cancel();
    body.completeExceptionally(reason);
  }

  @Override
  public void onError(Throwable failure) {
    if (rest != null) {
      rest.onError(failure);
    } else {
      body.completeExceptionally(failure);
    }
  }

  @Override
  public void onComplete() {
    if (rest != null) {
      rest.onComplete();
      return;
    }
    try {
      ByteBuffer whole = ByteBuffer.allocate((int) bytes);
      collected.forEach(whole::put);
      collected.clear();
      body.complete(new Body<>(whole.array(), null));
    } catch (OutOfMemoryError e) {
      body.completeExceptionally(e);
    }
  }
}
