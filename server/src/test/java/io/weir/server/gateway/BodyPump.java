package io.weir.server.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes a body part by part, no faster than it is read. It checks what was sent, because a Vert.x
 * server over TLS does not always report that its queue is full.
 */
final class BodyPump {
  /** Writes until the receiver stops reading. */
  static final long ENDLESS = Long.MAX_VALUE;

  private static final int MAX_UNDER_WAY = 8;

  private final WriteStream<Buffer> to;
  private final Buffer part;
  private final long parts;
  private final AtomicLong given;
  private int underWay;
  private boolean isPouring;
  private boolean isGone;

  private BodyPump(WriteStream<Buffer> to, Buffer part, long parts, AtomicLong given) {
    this.to = to;
    this.part = part;
    this.parts = parts;
    this.given = given;
  }

  /** Pours so many parts, and then the end. */
  static void into(WriteStream<Buffer> to, Buffer part, long parts) {
    into(to, part, parts, new AtomicLong());
  }

  /**
   * Pours so many parts, and then the end.
   *
   * @param given counts those that were poured
   */
  static void into(WriteStream<Buffer> to, Buffer part, long parts, AtomicLong given) {
    to.exceptionHandler(gone -> {});
    new BodyPump(to, part, parts, given).more();
  }

  /** The test and an event loop may come at once. */
  private synchronized void more() {
    if (isPouring) {
      return;
    }
    isPouring = true;
    while (given.get() < parts && !isGone && underWay < MAX_UNDER_WAY) {
      underWay++;
      to.write(part).onComplete(taken -> taken(taken.succeeded()));
      if (given.incrementAndGet() == parts) {
        to.end();
      }
    }
    isPouring = false;
  }

  private synchronized void taken(boolean isTaken) {
    underWay--;
    isGone |= !isTaken;
    more();
  }
}
