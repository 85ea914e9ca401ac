package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * Goes round all exchanges of an event loop several times a second, to see which are late. A timer
 * for each of them would cost more than all the rest of a deadline.
 */
final class Patrol implements Handler<Long> {
  private final Vertx vertx;
  private final long millis;
  private @Nullable Watched first;
  private boolean isWalking;

  /**
   * Nobody to look after.
   *
   * @param millis between two rounds: how exact deadlines are
   */
  Patrol(Vertx vertx, long millis) {
    this.vertx = vertx;
    this.millis = millis;
  }

  /** Looks after it until it is removed. */
  void add(Watched one) {
    Watched next = first;
    one.next = next;
    if (next != null) {
      next.before = one;
    }
    first = one;
    if (!isWalking) {
      isWalking = true;
      vertx.setTimer(millis, this);
    }
  }

  /** Looks after it no more. */
  void remove(Watched one) {
    Watched before = one.before;
    Watched next = one.next;
    if (before != null) {
      before.next = next;
    } else if (one.isIn(first)) {
      first = next;
    }
    if (next != null) {
      next.before = before;
    }
    one.before = null;
    one.next = null;
  }

  /** The exchange with servers of a group whose body comes the slowest; null if none is slow. */
  @Nullable Exchange slowest(Routes.Group group) {
    long now = System.nanoTime();
    Exchange slowest = null;
    double rate = Double.MAX_VALUE;
    for (Watched one = first; one != null; one = one.next) {
      if (one instanceof Exchange exchange && exchange.isSlow(group, now)) {
        double its = exchange.rate(now);
        if (its < rate) {
          rate = its;
          slowest = exchange;
        }
      }
    }
    return slowest;
  }

  @Override
  public void handle(Long timer) {
    isWalking = false;
    long now = System.nanoTime();
    Watched one = first;
    while (one != null) {
      Watched next = one.next; // whoever is late leaves
      one.look(now);
      one = next;
    }
    if (first != null && !isWalking) {
      isWalking = true;
      vertx.setTimer(millis, this);
    }
  }

  /** Somebody who may be late. */
  abstract static class Watched {
    private @Nullable Watched before;
    private @Nullable Watched next;

    /** Gives up if it is late; on the event loop. */
    abstract void look(long nanos);

    @SuppressWarnings("ReferenceEquality") // it is this very one or not
    private boolean isIn(@Nullable Watched place) {
      return place == this;
    }
  }
}
