package io.weir.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.core.spi.context.storage.AccessMode;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.weir.logs.RareLog;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;
import io.weir.server.http.Remote;
import io.weir.server.http.RequestTrace;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line for each request, or for a sample of them. Thread-safe; nothing but {@link #close}
 * blocks.
 */
public final class AccessLog implements DecisionLog, AutoCloseable {
  /*
   * An event loop fills an entry and offers it to a queue; one thread makes text of entries and
   * writes it. If that thread cannot keep up, since a disk is full or nobody reads a pipe, the
   * queue fills up, and further entries are dropped and counted. 16,384 entries are a third of a
   * second at 50,000 requests a second; 8 MiB bound them where clients send long texts.
   */

  private static final int MOST_ENTRIES = 16_384;
  private static final long MOST_BYTES = 8L << 20;
  private static final int MOST_AT_ONCE = 1024;
  private static final long ROUND_MILLIS = 1000;
  private static final long CLOSING_MILLIS = 2000;
  private static final CharSequence TRACE_PARENT = HttpHeaders.createOptimized("traceparent");
  private static final int TRACE_FROM = 3;
  private static final int TRACE_TO = 35;

  /** What a request has so far; registered before the first Vert.x that needs it. */
  private static final ContextLocal<AccessEntry> HERE =
      ContextLocal.registerLocal(AccessEntry.class);

  private static final RareLog LOG = new RareLog("io.weir.server");

  private final BlockingQueue<AccessEntry> queue = new ArrayBlockingQueue<>(MOST_ENTRIES);
  private final AtomicLong queuedBytes = new AtomicLong();
  private final LongAdder dropped = new LongAdder();
  private final LogFile file;
  private final AccessText text;
  private volatile double share;
  private final LongSupplier millis;
  private final @Nullable RequestTrace trace;
  private final Thread writer;
  private volatile boolean isToReopen;
  private volatile boolean isClosed;

  /**
   * Opens it.
   *
   * @param settings which must say that there is one
   * @param millis the time, since the epoch
   * @param trace knows the traces of requests; null: only their headers do
   * @throws IOException if the file cannot be written
   */
  public AccessLog(AccessSettings settings, LongSupplier millis, @Nullable RequestTrace trace)
      throws IOException {
    this.file = new LogFile(settings.file());
    this.text = new AccessText(settings.format());
    this.share = settings.percent() / 100;
    this.millis = millis;
    this.trace = trace;
    file.open();
    writer = new Thread(this::writeAll, "weir-access-log");
    writer.setDaemon(true);
    writer.start();
  }

  /** How many lines were dropped. */
  public long dropped() {
    return dropped.sum();
  }

  /** Opens the file anew, if not at once then within a second. */
  public void reopen() {
    isToReopen = true;
  }

  /** Writes lines for another share of the requests from now on. */
  public void sample(double percent) {
    share = percent / 100;
  }

  // On event loops.

  /** Serves as {@code handler} does, and writes a line when a request is over. */
  public Handler<HttpServerRequest> before(String port, Handler<HttpServerRequest> handler) {
    return request -> {
      if (isChosen()) {
        begin(port, request);
      }
      handler.handle(request);
    };
  }

  private boolean isChosen() {
    double chosen = share;
    return chosen >= 1 || ThreadLocalRandom.current().nextDouble() < chosen;
  }

  private void begin(String port, HttpServerRequest request) {
    HttpVersion version = request.version();
    AccessEntry entry =
        entry(
            port,
            request.method().name(),
            request.uri(),
            version,
            request.authority() == null ? null : request.authority().host(),
            request.headers());
    entry.client(Remote.of(request));
    if (trace != null) {
      String id = trace.id(request);
      entry.trace = id == null ? entry.trace : id;
    }
    context(request).putLocal(HERE, AccessMode.CONCURRENT, entry);
    HttpServerResponse response = request.response();
    response.endHandler(
        over -> {
          if (!entry.isTunnel()) {
            end(entry, response);
          }
        });
  }

  private AccessEntry entry(
      String port,
      String method,
      @Nullable String target,
      HttpVersion version,
      @Nullable String host,
      MultiMap headers) {
    AccessEntry entry =
        new AccessEntry(
            port,
            millis.getAsLong(),
            System.nanoTime(),
            method,
            target == null ? "" : target,
            version,
            host,
            headers.get(HttpHeaders.REFERER),
            headers.get(HttpHeaders.USER_AGENT));
    entry.trace = traceOf(headers.get(TRACE_PARENT));
    return entry;
  }

  /** The second field of {@code 00-<trace>-<parent>-<flags>}; null if it is no such thing. */
  private static @Nullable String traceOf(@Nullable String parent) {
    if (parent == null || parent.length() <= TRACE_TO || parent.charAt(TRACE_TO) != '-') {
      return null;
    }
    for (int i = TRACE_FROM; i < TRACE_TO; i++) {
      if (Character.digit(parent.charAt(i), 16) < 0 || parent.charAt(i) > 'f') {
        return null;
      }
    }
    return parent.substring(TRACE_FROM, TRACE_TO);
  }

  private static ContextInternal context(HttpServerRequest request) {
    return ((HttpServerRequestInternal) request).context();
  }

  /** What is to be logged of a request; null: nothing. */
  public @Nullable AccessEntry of(HttpServerRequest request) {
    return context(request).getLocal(HERE, AccessMode.CONCURRENT);
  }

  @Override
  public void decided(HttpServerRequest request, Ruling ruling) {
    AccessEntry entry = of(request);
    if (entry != null) {
      entry.decided(ruling);
    }
  }

  @Override
  public void decided(HttpServerRequest request, DescriptorRuling ruling) {
    AccessEntry entry = of(request);
    if (entry != null) {
      entry.decided(ruling);
    }
  }

  /** A request was answered before it came in; null: it is not to be logged. */
  public @Nullable AccessEntry early(
      String port, String method, String target, @Nullable String host, MultiMap headers) {
    return isChosen() ? entry(port, method, target, HttpVersion.HTTP_1_1, host, headers) : null;
  }

  /** An {@link #early} one is over. */
  public void end(AccessEntry entry, int status, long bytes) {
    if (entry.end(status, bytes, System.nanoTime())) {
      offer(entry);
    }
  }

  private void end(AccessEntry entry, HttpServerResponse response) {
    boolean hasLeft = !response.headWritten() && !response.ended();
    end(
        entry,
        hasLeft ? AccessEntry.CLIENT_LEFT : response.getStatusCode(),
        response.bytesWritten());
  }

  private void offer(AccessEntry entry) {
    long size = entry.size();
    if (queuedBytes.addAndGet(size) > MOST_BYTES || !queue.offer(entry)) {
      queuedBytes.addAndGet(-size);
      dropped.increment();
    }
  }

  // On the thread that writes.

  private void writeAll() {
    List<AccessEntry> some = new ArrayList<>(MOST_AT_ONCE);
    long looked = System.nanoTime();
    while (true) {
      boolean wasClosed = isClosed;
      try {
        AccessEntry first = queue.poll(wasClosed ? 0 : ROUND_MILLIS, TimeUnit.MILLISECONDS);
        if (first != null) {
          some.add(first);
          queue.drainTo(some, MOST_AT_ONCE - 1);
        } else if (wasClosed) {
          break;
        }
      } catch (InterruptedException e) {
        continue; // isClosed says what is to be done
      }
      long now = System.nanoTime();
      if (isToReopen || now - looked >= TimeUnit.MILLISECONDS.toNanos(ROUND_MILLIS)) {
        looked = now;
        renew();
      }
      write(some);
      some.clear();
    }
    try {
      file.close();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "access log: " + file + " cannot be closed: " + e, null);
    }
  }

  private void renew() {
    if (isToReopen || file.isMoved()) {
      isToReopen = false;
      try {
        file.open();
      } catch (IOException e) {
        LOG.log(Level.WARNING, "access log: " + file + " cannot be opened: " + e, null);
      }
    }
  }

  private void write(List<AccessEntry> some) {
    if (some.isEmpty()) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    for (AccessEntry entry : some) {
      text.write(entry, lines);
      queuedBytes.addAndGet(-entry.size());
    }
    try {
      file.write(lines.toString().getBytes(UTF_8));
    } catch (IOException e) {
      dropped.add(some.size());
      LOG.log(Level.WARNING, "access log: " + file + " cannot be written: " + e, null);
    }
  }

  /** Writes what is queued, for two seconds at most, and closes the file. */
  @Override
  public void close() {
    isClosed = true;
    writer.interrupt();
    try {
      writer.join(CLOSING_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
