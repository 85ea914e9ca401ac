package io.weir.server.connection;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.TimeSource;
import io.weir.server.codec.RequestDecoder;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections of a port, and closes those that take too long to send a request.
 *
 * <p>When the limit is reached, the connection that has been idle longest is closed for the new
 * one, so that many idle connections cannot lock out other clients. Only if every connection is
 * busy, the new one is refused.
 */
@Sharable
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class ConnectionLimiter extends ChannelInboundHandlerAdapter {
  private static final AttributeKey<ConnectionHandler> HANDLER =
      AttributeKey.valueOf(ConnectionLimiter.class, "handler");
  private static final int DEFAULT_CONNECTIONS = 10_000;

  /**
   * An event loop reads at most 64 KiB of a connection before it flushes responses and turns to the
   * next connection. Netty's default reads 16 times as much: 60,000 HTTP/2 frames, with a response
   * to each.
   */
  private static final RecvByteBufAllocator ONE_READ =
      new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1);

  /** Default share of connections with an unfinished head, in percent. */
  private static final int UNFINISHED_SHARE = 25;

  private static final int MIN_UNFINISHED = 8;
  private static final long HOLD_MILLIS = 250;

  private volatile int maxConnections;
  private volatile int unfinishedHeads;
  private final Timeouts timeouts;
  private final ConcurrentHashMap<Object, Integer> unfinished = new ConcurrentHashMap<>();
  private final TimeSource time;
  private final TimeSource steadyTime;
  private final ClosedConnections closed;
  private final Predicate<SocketAddress> proxies;
  private final Predicate<SocketAddress> proxyProtocolPeers;
  private volatile @Nullable EarlyResponder earlyResponder;
  private volatile HttpServerOptions limits = new HttpServerOptions();
  private volatile boolean isPaused;
  private final AtomicInteger inside = new AtomicInteger();
  private final Map<EventLoop, ConnectionTimeouts> timeoutsByLoop = new ConcurrentHashMap<>();

  /**
   * How long a connection may stay in each phase.
   *
   * @param silent until the first byte, or until the first one after a TLS handshake
   * @param head from the first byte of a request until its headers are complete
   * @param idle between requests
   */
  public record Timeouts(Duration silent, Duration head, Duration idle) {
    /** Long enough for any client that intends to send a request. */
    public static final Timeouts USUAL =
        new Timeouts(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMinutes(2));

    /** The same timeouts with another idle timeout. */
    public Timeouts withIdle(Duration time) {
      return new Timeouts(silent, head, time);
    }
  }

  /** A limiter with the default limit and timeouts. */
  public ConnectionLimiter() {
    this(DEFAULT_CONNECTIONS, Timeouts.USUAL);
  }

  /** A limiter of {@code maxConnections} open connections. */
  public ConnectionLimiter(int maxConnections, Timeouts timeouts) {
    this(maxConnections, timeouts, TimeSource.system());
  }

  /** A limiter of {@code maxConnections} open connections, for another clock. */
  public ConnectionLimiter(int maxConnections, Timeouts timeouts, TimeSource time) {
    this(maxConnections, timeouts, UNFINISHED_SHARE, address -> false, address -> false, time);
  }

  /**
   * A limiter of {@code maxConnections} open connections.
   *
   * @param unfinishedShare how many of them, in percent, may come from one address and have an
   *     incomplete request head
   * @param proxies addresses of proxies; their connections are not counted per address
   * @param proxyProtocolPeers addresses of proxies that send a PROXY protocol header first
   * @param time the clock of the port: for timeouts, and for the dates of certificates
   */
  public ConnectionLimiter(
      int maxConnections,
      Timeouts timeouts,
      int unfinishedShare,
      Predicate<SocketAddress> proxies,
      Predicate<SocketAddress> proxyProtocolPeers,
      TimeSource time) {
    this.proxyProtocolPeers = proxyProtocolPeers;
    this.proxies = proxies;
    this.maxConnections = maxConnections;
    this.unfinishedHeads = unfinished(maxConnections, unfinishedShare);
    this.timeouts = timeouts;
    this.time = time;
    this.steadyTime = time.steady();
    this.closed = new ClosedConnections(steadyTime);
  }

  /** How many of {@code maxConnections} connections one address may leave unfinished. */
  public static int unfinished(int maxConnections, int share) {
    return Math.max(MIN_UNFINISHED, (int) (maxConnections * (long) share / 100));
  }

  /**
   * Changes the limit. If more connections are open than the new limit allows, the longest idle
   * ones are closed.
   *
   * @param unfinishedShare see the constructor
   */
  public void resize(int number, int unfinishedShare) {
    maxConnections = number;
    unfinishedHeads = unfinished(number, unfinishedShare);
    for (int tooMany = inside.get() - number; tooMany > 0; tooMany--) {
      if (!closesIdleConnection()) {
        return;
      }
    }
  }

  /** Sets the responder that may respond to requests before dispatch. */
  public ConnectionLimiter with(EarlyResponder answering) {
    earlyResponder = answering;
    return this;
  }

  /**
   * Dispatches every request from now on. During a drain, only the dispatched path adds {@code
   * Connection: close} to responses.
   */
  public void removeEarlyResponder() {
    earlyResponder = null;
  }

  @Nullable EarlyResponder earlyResponder() {
    return earlyResponder;
  }

  /** Sets the limits on the size of request heads: those of the port. */
  void limits(HttpServerOptions port) {
    limits = port;
  }

  /** Creates the decoder of a new HTTP/1 connection. */
  RequestDecoder decoder() {
    return new RequestDecoder(limits);
  }

  /** The clock of the port. */
  public TimeSource time() {
    return time;
  }

  /** The number of open connections. */
  public int inside() {
    return inside.get();
  }

  /** Accepts the connection {@code message}, which Vert.x has not seen yet. */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Channel connection = (Channel) message;
    int number = inside.incrementAndGet();
    int max = maxConnections;
    if (number > max && !(number <= max + excess(max) && closesIdleConnection())) {
      inside.decrementAndGet();
      connection.unsafe().closeForcibly();
      return;
    }
    if (number > max) {
      pauseAccepting(ctx);
    }
    connection.closeFuture().addListener(gone -> leave(ctx));
    connection.config().setRecvByteBufAllocator(ONE_READ);
    ConnectionHandler connectionHandler = new ConnectionHandler(this);
    connection.attr(HANDLER).set(connectionHandler);
    if (proxyProtocolPeers.test(connection.remoteAddress())) {
      connection
          .pipeline()
          .addLast("weir-proxy-protocol", new ProxyProtocolDecoder(connectionHandler));
    }
    connection.pipeline().addLast("weir-connection", connectionHandler);
    ctx.fireChannelRead(connection);
  }

  /** How far the limit may be exceeded while closed connections are still being torn down. */
  private static int excess(int max) {
    return Math.max(32, max / 8);
  }

  private void leave(ChannelHandlerContext ctx) {
    if (inside.decrementAndGet() <= maxConnections && isPaused) {
      ctx.executor().execute(() -> resumeAccepting(ctx));
    }
  }

  /**
   * Pauses accepting for a moment, because a connection takes time to close. Meanwhile new ones
   * wait in the kernel's backlog.
   */
  private void pauseAccepting(ChannelHandlerContext ctx) {
    if (!isPaused) {
      isPaused = true;
      ctx.channel().config().setAutoRead(false);
      ctx.executor().schedule(() -> resumeAccepting(ctx), HOLD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void resumeAccepting(ChannelHandlerContext ctx) {
    if (isPaused) {
      isPaused = false;
      ctx.channel().config().setAutoRead(true);
    }
  }

  /** Starts at the event loop with the most waiting connections; false if there are none. */
  private boolean closesIdleConnection() {
    List<ConnectionTimeouts> all = new ArrayList<>(timeoutsByLoop.values());
    all.removeIf(connectionTimeouts -> connectionTimeouts.idleCount() == 0);
    if (all.isEmpty()) {
      return false;
    }
    all.sort(Comparator.comparingInt(ConnectionTimeouts::idleCount).reversed());
    Iterator<ConnectionTimeouts> next = all.iterator();
    next.next().closeOne(next);
    return true;
  }

  ConnectionTimeouts timeoutsOf(EventLoop loop) {
    return timeoutsByLoop.computeIfAbsent(
        loop,
        each ->
            new ConnectionTimeouts(
                each,
                steadyTime,
                timeouts,
                new UnfinishedHeads(unfinished, () -> unfinishedHeads),
                closed,
                () -> Math.max(4, maxConnections / 64)));
  }

  /**
   * The key by which unfinished heads of a client are counted: its IPv4 address, or the first 64
   * bits of its IPv6 address. Null if the client has no address, or is a proxy, which forwards for
   * many clients.
   */
  @Nullable Object countedAddress(@Nullable SocketAddress client) {
    if (!(client instanceof InetSocketAddress inet)
        || inet.getAddress() == null
        || proxies.test(client)) {
      return null;
    }
    InetAddress address = inet.getAddress();
    // A Long never equals an InetAddress, so IPv4 and IPv6 keys cannot collide.
    return address instanceof Inet6Address
        ? ByteBuffer.wrap(address.getAddress()).getLong()
        : address;
  }

  /** To be called when Vert.x has set up a connection. */
  public static void installHandlers(HttpConnection connection) {
    ConnectionHandler connectionHandler = handler(connection);
    if (connectionHandler != null) {
      connectionHandler.installEncrypted();
    }
  }

  /** Makes the current request the last of its connection, even if others were already sent. */
  public static void discardFurtherRequests(HttpConnection connection) {
    ConnectionHandler connectionHandler = handler(connection);
    if (connectionHandler != null) {
      connectionHandler.discardFurtherRequests();
    }
  }

  /** The trailers of the current request; always empty for HTTP/2. */
  public static HttpHeaders trailers(HttpConnection connection) {
    ConnectionHandler connectionHandler = handler(connection);
    return connectionHandler == null ? EmptyHttpHeaders.INSTANCE : connectionHandler.trailers();
  }

  private static @Nullable ConnectionHandler handler(HttpConnection connection) {
    return connection instanceof ConnectionBase base ? base.channel().attr(HANDLER).get() : null;
  }
}
