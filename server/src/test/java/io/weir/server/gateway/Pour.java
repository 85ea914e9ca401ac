package io.weir.server.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.streams.WriteStream;
import java.util.concurrent.atomic.AtomicLong;

/** Pours a body out, part by part, no faster than it is taken. */
final class Pour {
  /** Until nobody takes it any more. */
  static final long ENDLESS = Long.MAX_VALUE;

  private final WriteStream<Buffer> to;
  private final Buffer part;
  private final long parts;
  private final AtomicLong given;

  private Pour(WriteStream<Buffer> to, Buffer part, long parts, AtomicLong given) {
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
    Pour pour = new Pour(to, part, parts, given);
    to.exceptionHandler(gone -> {});
    to.drainHandler(room -> pour.more());
    pour.more();
  }

  /** The test and an event loop may come at once. */
  private synchronized void more() {
    while (given.get() < parts && !isClosed() && !to.writeQueueFull()) {
      to.write(part);
      if (given.incrementAndGet() == parts) {
        to.end();
      }
    }
  }

  private boolean isClosed() {
    return to instanceof HttpServerResponse response && response.closed();
  }
}
