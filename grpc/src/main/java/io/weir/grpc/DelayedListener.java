package io.weir.grpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Queues the events of a call that has not started, and delivers them once there is a listener.
 * Events are delivered one at a time, from any thread, in the call's context.
 *
 * <p>There are few events: no message has been requested, so none arrives.
 */
final class DelayedListener<Q> extends ServerCall.Listener<Q> {
  private final Context context = Context.current();
  private final Queue<Runnable> events = new ArrayDeque<>();
  private final ServerCall<Q, ?> call;
  private ServerCall.@Nullable Listener<Q> listener;
  private boolean isBegun;
  private boolean isDelivering;
  private boolean hasEnded;
  private @Nullable Runnable onEnd;

  DelayedListener(ServerCall<Q, ?> call) {
    this.call = call;
  }

  /**
   * Starts the call in this thread, unless it has ended or was started.
   *
   * @param start starts the call and returns its listener
   */
  void begin(Supplier<ServerCall.Listener<Q>> start) {
    synchronized (this) {
      onEnd = null;
      if (hasEnded || isBegun) {
        return;
      }
      isBegun = true;
      isDelivering = true;
    }
    try {
      context.run(() -> take(start.get()));
      deliver();
    } catch (RuntimeException | Error e) { // as the server does in its own threads
      closeFor(e);
      throw e;
    }
  }

  private synchronized void take(ServerCall.Listener<Q> begun) {
    listener = begun;
  }

  private void closeFor(Throwable thrown) {
    try {
      call.close(Status.fromThrowable(thrown), new Metadata());
    } catch (IllegalStateException e) { // the call is closed
      thrown.addSuppressed(e);
    }
  }

  /** Runs an action if the call ends before it starts; at once if it has ended. */
  void ifEnded(Runnable done) {
    synchronized (this) {
      if (!hasEnded) {
        onEnd = done;
        return;
      }
    }
    done.run();
  }

  @Override
  public void onMessage(Q message) {
    add(to -> to.onMessage(message));
  }

  @Override
  public void onHalfClose() {
    add(ServerCall.Listener::onHalfClose);
  }

  @Override
  public void onCancel() {
    end();
    add(ServerCall.Listener::onCancel);
  }

  @Override
  public void onComplete() {
    end();
    add(ServerCall.Listener::onComplete);
  }

  @Override
  public void onReady() {
    add(ServerCall.Listener::onReady);
  }

  private void end() {
    Runnable done;
    synchronized (this) {
      hasEnded = true;
      done = onEnd;
      onEnd = null;
    }
    if (done != null) {
      done.run();
    }
  }

  private void add(Event<Q> event) {
    synchronized (this) {
      events.add(() -> event.deliver(Objects.requireNonNull(listener)));
      if (listener == null || isDelivering) {
        return;
      }
      isDelivering = true;
    }
    deliver();
  }

  private void deliver() {
    for (Runnable event = next(); event != null; event = next()) {
      boolean isDelivered = false;
      try {
        context.run(event);
        isDelivered = true;
      } finally {
        if (!isDelivered) {
          pause();
        }
      }
    }
  }

  /** The listener threw; it must still receive the end of the call. */
  private synchronized void pause() {
    isDelivering = false;
  }

  private synchronized @Nullable Runnable next() {
    Runnable event = events.poll();
    isDelivering = event != null;
    return event;
  }

  private interface Event<Q> {
    void deliver(ServerCall.Listener<Q> to);
  }
}
