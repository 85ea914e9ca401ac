package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.rules.http.Header;
import io.weir.server.connection.BodyDrainer;
import io.weir.server.connection.ForceClose;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Server-sent events: responses that continue until the client disconnects or the server stops.
 * Thread-safe; does not block.
 *
 * <p>The number of streams is limited, and none occupies a thread. When a connection or its HTTP/2
 * stream is not writable, a few events are buffered for it; beyond that it is closed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // handlers report closed connections
public final class EventStreams implements AutoCloseable {
  /** How many writes may wait for a stream's event loop; a loop further behind is stuck. */
  private static final int MAX_WAITING = 256;

  /** How much may be buffered for a slow client, in events and in characters. */
  private static final int MAX_HELD = 64;

  private static final int MAX_HELD_LENGTH = 256 * 1024;

  /** HTTP/2's ENHANCE_YOUR_CALM. */
  private static final long TOO_MUCH = 11;

  private static final List<Header> HEADERS =
      List.of(
          new Header("Content-Type", "text/event-stream"),
          new Header("Cache-Control", "no-store"),
          new Header("X-Accel-Buffering", "no"));

  private final int maxStreams;
  private final AtomicInteger places = new AtomicInteger();
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** At most {@code maxStreams} streams at once. */
  public EventStreams(int maxStreams) {
    this.maxStreams = maxStreams;
  }

  /** An encoded event. */
  public static String event(String name, String json) {
    return "event: " + name + "\ndata: " + json + "\n\n";
  }

  /** The number of open streams. */
  public int listeners() {
    return streams.size();
  }

  /**
   * Responds to {@code request} with a stream of later events. Returns false and sends nothing if
   * there are too many streams. Called on the event loop of the request.
   *
   * @param first sent at once
   */
  public boolean listen(HttpServerRequest request, String first) {
    if (request.method().equals(HttpMethod.HEAD)) {
      put(request.response()).end();
      BodyDrainer.discard(request);
      return true;
    }
    if (places.incrementAndGet() > maxStreams) {
      places.decrementAndGet();
      return false;
    }
    Stream stream = new Stream(request);
    HttpResponses.whenWritable(request, first.length(), () -> stream.begin(first));
    BodyDrainer.discard(request);
    return true;
  }

  private static HttpServerResponse put(HttpServerResponse response) {
    HEADERS.forEach(header -> response.putHeader(header.name(), header.value()));
    return response;
  }

  /** Sends events to all streams, from any thread. */
  public void publish(String events) {
    streams.forEach(stream -> stream.later(events));
  }

  /** Ends all streams and refuses new ones, from any thread. */
  @Override
  public void close() {
    closed = true;
    streams.forEach(Stream::endLater);
  }

  /** One stream; all but {@link #later} and {@link #endLater} runs on its event loop. */
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
        HttpResponses.send(request, HttpResponses.error(503, "closing", "the server is stopping"));
        return;
      }
      put(response);
      if (request.version() != HttpVersion.HTTP_2) {
        response.setChunked(true);
      }
      response.drainHandler(drained -> resume());
      response.write(first);
      streams.add(this);
      if (closed) { // close() may have run before this stream was added
        end();
      }
    }

    void later(String events) {
      if (waiting.get() <= MAX_WAITING && waiting.incrementAndGet() <= MAX_WAITING) {
        context.runOnContext(now -> write(events));
      }
    }

    private void write(String events) {
      boolean isMissing = waiting.getAndDecrement() > MAX_WAITING; // some events were dropped
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
      if (held.size() > MAX_HELD || heldLength > MAX_HELD_LENGTH) {
        dismiss();
      }
    }

    private void resume() {
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
        ForceClose.now(request.connection());
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
