package io.weir.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Passes a body on part-way: the data received so far as one item, then the rest as it arrives.
 * While the subscriber handles the first item, nothing is requested from the source and no end is
 * signalled, so signals never overlap. No lock is held during a signal.
 */
final class BodyRelay implements Flow.Subscription, Flow.Subscriber<List<ByteBuffer>> {
  private final Flow.Subscriber<? super List<ByteBuffer>> taker;
  private final Flow.Subscription source;
  private @Nullable List<ByteBuffer> first;
  private boolean isBusy;
  private long wanted;
  private @Nullable Runnable end;

  BodyRelay(
      Flow.Subscriber<? super List<ByteBuffer>> taker,
      Flow.Subscription source,
      List<ByteBuffer> first) {
    this.taker = taker;
    this.source = source;
    this.first = first;
  }

  @Override
  public void request(long items) {
    List<ByteBuffer> item = items > 0 ? takeFirst(items) : null;
    if (item != null) {
      taker.onNext(item);
      afterFirst();
    } else if (items <= 0 || isThrough(items)) {
      source.request(items);
    }
  }

  private synchronized @Nullable List<ByteBuffer> takeFirst(long items) {
    List<ByteBuffer> item = first;
    if (item != null) {
      first = null;
      isBusy = true;
      wanted = items - 1;
    }
    return item;
  }

  /** Whether the demand can go to the source now; otherwise it is stored. */
  private synchronized boolean isThrough(long items) {
    if (isBusy) {
      wanted = wanted + items < 0 ? Long.MAX_VALUE : wanted + items;
    }
    return !isBusy;
  }

  private void afterFirst() {
    Runnable ending;
    long more;
    synchronized (this) {
      isBusy = false;
      ending = end;
      more = wanted;
    }
    if (ending != null) {
      ending.run();
    } else if (more > 0) {
      source.request(more);
    }
  }

  @Override
  public void cancel() {
    source.cancel();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    throw new IllegalStateException("has a source already");
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    taker.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    if (isNow(() -> taker.onError(failure), true)) {
      taker.onError(failure);
    }
  }

  @Override
  public void onComplete() {
    if (isNow(taker::onComplete, false)) {
      taker.onComplete();
    }
  }

  /** Whether the end can be signalled now; otherwise it is signalled after the first item. */
  private synchronized boolean isNow(Runnable ending, boolean isFailure) {
    if (isFailure && !isBusy) {
      first = null;
    }
    boolean isNow = first == null && !isBusy;
    end = isNow ? null : ending;
    return isNow;
  }
}
