package io.weir.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Collects a body that several may want. One that turns out too large is handed on, with what was
 * collected of it first, to the one who asked for it: nobody else gets it.
 */
final class Collecting<T> implements BodySubscriber<Collecting.Body<T>> {
  private final ResponseInfo head;
  private final BodyHandler<T> handler;
  private final int most;
  private final CompletableFuture<Body<T>> body = new CompletableFuture<>();
  private final ArrayDeque<List<ByteBuffer>> collected = new ArrayDeque<>();
  private int bytes;
  private Flow.@Nullable Subscription source;
  private @Nullable BodySubscriber<T> owner;
  private long wanted;
  private boolean handingOn;
  private boolean ended;

  Collecting(ResponseInfo head, BodyHandler<T> handler, int most) {
    this.head = head;
    this.handler = handler;
    this.most = most;
  }

  /**
   * A body: whole, or what its owner makes of it.
   *
   * @param whole null if it is too large
   * @param streamed null if it is whole
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Body<T>(byte @Nullable [] whole, @Nullable CompletionStage<T> streamed) {}

  @Override
  public CompletionStage<Body<T>> getBody() {
    return body;
  }

  @Override
  public synchronized void onSubscribe(Flow.Subscription subscription) {
    source = subscription;
    long length = head.headers().firstValueAsLong("Content-Length").orElse(0);
    if (length > most) {
      handOn();
    } else {
      subscription.request(1);
    }
  }

  @Override
  public synchronized void onNext(List<ByteBuffer> buffers) {
    if (owner != null) {
      owner.onNext(buffers);
      return;
    }
    collected.add(buffers);
    for (ByteBuffer buffer : buffers) {
      bytes += buffer.remaining();
    }
    if (bytes > most) {
      handOn();
    } else if (source != null) {
      source.request(1);
    }
  }

  private void handOn() {
    BodySubscriber<T> to = handler.apply(head);
    owner = to;
    to.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long items) {
            want(items);
          }

          @Override
          public void cancel() {
            if (source != null) {
              source.cancel();
            }
          }
        });
    body.complete(new Body<>(null, to.getBody()));
  }

  /** First what was collected, then what comes. */
  private synchronized void want(long items) {
    wanted = wanted + items < 0 ? Long.MAX_VALUE : wanted + items;
    if (handingOn || owner == null || source == null) {
      return;
    }
    handingOn = true;
    while (wanted > 0 && !collected.isEmpty()) {
      wanted--;
      owner.onNext(collected.remove());
    }
    handingOn = false;
    if (collected.isEmpty() && ended) {
      owner.onComplete();
    } else if (collected.isEmpty() && wanted > 0) {
      long rest = wanted;
      wanted = 0;
      source.request(rest);
    }
  }

  @Override
  public synchronized void onError(Throwable failure) {
    if (owner != null) {
      owner.onError(failure);
    } else {
      body.completeExceptionally(failure);
    }
  }

  @Override
  public synchronized void onComplete() {
    ended = true;
    if (owner != null) {
      if (collected.isEmpty()) {
        owner.onComplete();
      }
      return;
    }
    ByteBuffer whole = ByteBuffer.allocate(bytes);
    collected.forEach(buffers -> buffers.forEach(whole::put));
    collected.clear();
    body.complete(new Body<>(whole.array(), null));
  }
}
