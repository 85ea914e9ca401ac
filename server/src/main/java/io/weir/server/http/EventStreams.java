package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.rules.http.Header;
import io.weir.server.door.Cut;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers that go on until their listener leaves, or everything ends: server-sent events.
 *
 * <p>There are only so many, and no thread waits for any of them. When the connection of somebody,
 * or its stream of HTTP/2, takes no more, a few events are held for it; then it is dismissed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // who is gone is told of by handlers
public final class EventStreams implements AutoCloseable {
  /** What may wait for a listener's event loop; a loop that is so far behind is stuck. */
  private static final int MOST_WAITING = 256;

  /** What may wait for a listener to read, in events and in characters. */
  private static final int MOST_HELD = 64;

  private static final int MOST_HELD_LENGTH = 256 * 1024;

  /** Of HTTP/2: ENHANCE_YOUR_CALM. */
  private static final long TOO_MUCH = 11;

  private static final List<Header> HEADERS =
      List.of(
          new Header("Content-Type", "text/event-stream"),
          new Header("Cache-Control", "no-store"),
          new Header("X-Accel-Buffering", "no"));

  private final int most;
  private final AtomicInteger places = new AtomicInteger();
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** So many listeners at once. */
  public EventStreams(int most) {
    this.most = most;
  }

  /** An event as it is written. */
  public static String event(String name, String json) {
    return "event: " + name + "\ndata: " + json + "\n\n";
  }

  /** How many listen. */
  public int listeners() {
    return streams.size();
  }

  /**
   * Answers {@code request} with what is told from now on; false, and nothing is answered, if there
   * are too many already. On its event loop.
   *
   * @param first is told at once
   */
  public boolean listen(HttpServerRequest request, String first) {
    if (request.method().equals(HttpMethod.HEAD)) {
      put(request.response()).end();
      Leftovers.discard(request);
      return true;
    }
    if (places.incrementAndGet() > most) {
      places.decrementAndGet();
      return false;
    }
    Stream stream = new Stream(request);
    Outflow.whenRoom(request, first.length(), () -> stream.begin(first));
    Leftovers.discard(request);
    return true;
  }

  private static HttpServerResponse put(HttpServerResponse response) {
    HEADERS.forEach(header -> response.putHeader(header.name(), header.value()));
    return response;
  }

  /** Tells everybody; from any thread. */
  public void tell(String events) {
    streams.forEach(stream -> stream.later(events));
  }

  /** Ends all, and lets nobody listen any more; from any thread. */
  @Override
  public void close() {
    closed = true;
    streams.forEach(Stream::endLater);
  }

  /** One who listens; all but {@link #later} and {@link #endLater} is done on its event loop. */
  private final class Stream {
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final Context context;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Queue<String> held = new ArrayDeque<>();
    private int heldLength;
    private boolean isOver;

    Stream(HttpServerRequest request) {
      this.request = request;
      this.response = request.response();
      this.context = ((HttpServerRequestInternal) request).context();
      response.closeHandler(gone -> over());
      response.exceptionHandler(gone -> over());
    }

    void begin(String first) {
      if (isOver || response.closed() || closed) {
        over();
        Replies.send(request, Replies.error(503, "closing", "the server is about to end"));
        return;
      }
      put(response);
      if (request.version() != HttpVersion.HTTP_2) {
        response.setChunked(true);
      }
      response.drainHandler(drained -> goOn());
      response.write(first);
      streams.add(this);
      if (closed) { // just now, and nobody may have seen this one
        end();
      }
    }

    void later(String events) {
      if (waiting.get() <= MOST_WAITING && waiting.incrementAndGet() <= MOST_WAITING) {
        context.runOnContext(now -> write(events));
      }
    }

    private void write(String events) {
      boolean isMissing = waiting.getAndDecrement() > MOST_WAITING; // something was not told
      if (isOver) {
        return;
      }
      if (isMissing) {
        dismiss();
      } else if (held.isEmpty() && !response.writeQueueFull()) {
        response.write(events);
      } else {
        hold(events);
      }
    }

    private void hold(String events) {
      held.add(events);
      heldLength += events.length();
      if (held.size() > MOST_HELD || heldLength > MOST_HELD_LENGTH) {
        dismiss();
      }
    }

    private void goOn() {
      while (!isOver && !held.isEmpty() && !response.writeQueueFull()) {
        String events = held.remove();
        heldLength -= events.length();
        response.write(events);
      }
    }

    private void dismiss() {
      over();
      if (request.version() == HttpVersion.HTTP_2) {
        response.reset(TOO_MUCH);
      } else {
        Cut.now(request.connection());
      }
    }

    void endLater() {
      context.runOnContext(now -> end());
    }

    private void end() {
      if (!isOver) {
        over();
        response.end();
      }
    }

    private void over() {
      if (!isOver) {
        isOver = true;
        held.clear();
        streams.remove(this);
        places.decrementAndGet();
      }
    }
  }
}
