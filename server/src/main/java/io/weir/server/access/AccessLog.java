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
import io.weir.TimeSource;
import io.weir.logs.RateLimitedLog;
import io.weir.rules.RequestDecision;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.server.http.PeerAddress;
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
 * Writes a line for each request, or for a sample of them. Thread-safe; only {@link #close} blocks.
 */
public final class AccessLog implements DecisionLog, AutoCloseable {
  /*
   * An event loop fills an entry and offers it to a queue. One thread formats the entries and
   * writes them. If that thread cannot keep up, because a disk is full or a pipe is not read, the
   * queue fills up, and further entries are dropped and counted. 16,384 entries are a third of a
   * second at 50,000 requests a second; a limit of 8 MiB bounds the queue if clients send long
   * texts.
   */

  private static final int MAX_ENTRIES = 16_384;
  private static final long MAX_BYTES = 8L << 20;
  private static final int MAX_AT_ONCE = 1024;
  private static final long ROUND_MILLIS = 1000;
  private static final long CLOSING_MILLIS = 2000;
  private static final CharSequence TRACE_PARENT = HttpHeaders.createOptimized("traceparent");
  private static final int TRACE_FROM = 3;
  private static final int TRACE_TO = 35;

  /** The entry of the current request; registered before the first Vert.x that needs it. */
  private static final ContextLocal<AccessEntry> HERE =
      ContextLocal.registerLocal(AccessEntry.class);

  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.server");

  private final BlockingQueue<AccessEntry> queue = new ArrayBlockingQueue<>(MAX_ENTRIES);
  private final AtomicLong queuedBytes = new AtomicLong();
  private final LongAdder dropped = new LongAdder();
  private final LogFile file;
  private final AccessLogFormatter text;
  private volatile double share;
  private final LongSupplier millis;
  private final TimeSource clock;
  private final @Nullable RequestTrace trace;
  private final Thread writer;
  private volatile boolean mustReopen;
  private volatile boolean isClosed;

  /**
   * Opens the access log.
   *
   * @param settings must have the access log enabled
   * @param millis the time in milliseconds since the epoch
   * @param clock for elapsed times; without steps, see {@link TimeSource#steady}
   * @param trace finds the traces of requests; null: only their headers do
   * @throws IOException if the file cannot be written
   */
  public AccessLog(
      AccessSettings settings, LongSupplier millis, TimeSource clock, @Nullable RequestTrace trace)
      throws IOException {
    this.file = new LogFile(settings.file());
    this.text = new AccessLogFormatter(settings.format());
    this.share = settings.percent() / 100;
    this.millis = millis;
    this.clock = clock;
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

  /** Reopens the file, at once or within a second. */
  public void reopen() {
    mustReopen = true;
  }

  /** Sets the share of requests that get a line from now on. */
  public void sample(double percent) {
    share = percent / 100;
  }

  // The methods below run on event loops.

  /** Serves requests with {@code handler}, and writes a line when each is over. */
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
    entry.client(PeerAddress.of(request));
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
            clock.epochNanos(),
            method,
            target == null ? "" : target,
            version,
            host,
            headers.get(HttpHeaders.REFERER),
            headers.get(HttpHeaders.USER_AGENT));
    entry.trace = traceOf(headers.get(TRACE_PARENT));
    return entry;
  }

  /**
   * The second field of {@code 00-<trace>-<parent>-<flags>}; null if the header has another form.
   */
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

  /** The entry of a request; null: the request is not logged. */
  public @Nullable AccessEntry of(HttpServerRequest request) {
    return context(request).getLocal(HERE, AccessMode.CONCURRENT);
  }

  @Override
  public void decided(HttpServerRequest request, RequestDecision requestDecision) {
    AccessEntry entry = of(request);
    if (entry != null) {
      entry.decided(requestDecision);
    }
  }

  @Override
  public void decided(HttpServerRequest request, DescriptorDecision decision) {
    AccessEntry entry = of(request);
    if (entry != null) {
      entry.decided(decision);
    }
  }

  /**
   * Starts the entry of a request that gets its response before dispatch; null: the request is not
   * logged.
   */
  public @Nullable AccessEntry early(
      String port, String method, String target, @Nullable String host, MultiMap headers) {
    return isChosen() ? entry(port, method, target, HttpVersion.HTTP_1_1, host, headers) : null;
  }

  /** Ends an {@link #early} entry. */
  public void end(AccessEntry entry, int status, long bytes) {
    if (entry.end(status, bytes, clock.epochNanos())) {
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
    if (queuedBytes.addAndGet(size) > MAX_BYTES || !queue.offer(entry)) {
      queuedBytes.addAndGet(-size);
      dropped.increment();
    }
  }

  // The methods below run on the writer thread.

  private void writeAll() {
    List<AccessEntry> some = new ArrayList<>(MAX_AT_ONCE);
    long looked = clock.epochNanos();
    while (true) {
      boolean wasClosed = isClosed;
      try {
        AccessEntry first = queue.poll(wasClosed ? 0 : ROUND_MILLIS, TimeUnit.MILLISECONDS);
        if (first != null) {
          some.add(first);
          queue.drainTo(some, MAX_AT_ONCE - 1);
        } else if (wasClosed) {
          break;
        }
      } catch (InterruptedException e) {
        continue; // isClosed is checked next
      }
      long now = clock.epochNanos();
      if (mustReopen || now - looked >= TimeUnit.MILLISECONDS.toNanos(ROUND_MILLIS)) {
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
    if (mustReopen || file.isMoved()) {
      mustReopen = false;
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

  /** Writes what is queued, for two seconds at most, and closes the file. Blocks. */
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
