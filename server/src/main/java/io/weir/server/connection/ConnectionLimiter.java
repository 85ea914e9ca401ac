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
  private static final AttributeKey<ConnectionHandler> GUEST =
      AttributeKey.valueOf(ConnectionLimiter.class, "guest");
  private static final int MOST = 10_000;

  /**
   * An event loop reads at most 64 KiB of a connection before it flushes responses and turns to the
   * next connection. Netty's default reads 16 times as much: 60,000 HTTP/2 frames, with a response
   * to each.
   */
  private static final RecvByteBufAllocator ONE_READ =
      new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1);

  /** Default share of connections with an unfinished head, in percent. */
  private static final int UNFINISHED_SHARE = 25;

  private static final int LEAST_UNFINISHED = 8;
  private static final long HOLD_MILLIS = 250;

  private volatile int most;
  private volatile int unfinishedHeads;
  private final Timeouts timeouts;
  private final ConcurrentHashMap<Object, Integer> unfinished = new ConcurrentHashMap<>();
  private final TimeSource time;
  private final TimeSource steadyTime;
  private final ClosedConnections closed;
  private final Predicate<SocketAddress> proxies;
  private final Predicate<SocketAddress> introducers;
  private volatile @Nullable EarlyResponder earlyResponder;
  private volatile HttpServerOptions limits = new HttpServerOptions();
  private volatile boolean isHeldBack;
  private final AtomicInteger inside = new AtomicInteger();
  private final Map<EventLoop, ConnectionTimeouts> lobbies = new ConcurrentHashMap<>();

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
    this(MOST, Timeouts.USUAL);
  }

  /** A limiter of {@code most} open connections. */
  public ConnectionLimiter(int most, Timeouts timeouts) {
    this(most, timeouts, TimeSource.system());
  }

  /** A limiter of {@code most} open connections, for another clock. */
  public ConnectionLimiter(int most, Timeouts timeouts, TimeSource time) {
    this(most, timeouts, UNFINISHED_SHARE, anybody -> false, anybody -> false, time);
  }

  /**
   * A limiter of {@code most} open connections.
   *
   * @param unfinishedShare how many of them, in percent, may come from one address and have an
   *     incomplete request head
   * @param proxies addresses of proxies; their connections are not counted per address
   * @param introducers addresses of proxies that send a PROXY protocol header first
   * @param time the clock of the port: for timeouts, and for the dates of certificates
   */
  public ConnectionLimiter(
      int most,
      Timeouts timeouts,
      int unfinishedShare,
      Predicate<SocketAddress> proxies,
      Predicate<SocketAddress> introducers,
      TimeSource time) {
    this.introducers = introducers;
    this.proxies = proxies;
    this.most = most;
    this.unfinishedHeads = unfinished(most, unfinishedShare);
    this.timeouts = timeouts;
    this.time = time;
    this.steadyTime = time.steady();
    this.closed = new ClosedConnections(steadyTime);
  }

  /** How many of {@code most} connections one address may leave unfinished. */
  public static int unfinished(int most, int share) {
    return Math.max(LEAST_UNFINISHED, (int) (most * (long) share / 100));
  }

  /**
   * Changes the limit. If more connections are open than the new limit allows, the longest idle
   * ones are closed.
   *
   * @param unfinishedShare see the constructor
   */
  public void resize(int number, int unfinishedShare) {
    most = number;
    unfinishedHeads = unfinished(number, unfinishedShare);
    for (int tooMany = inside.get() - number; tooMany > 0; tooMany--) {
      if (!makesRoom()) {
        return;
      }
    }
  }

  /** Sets the responder that may answer requests before dispatch. */
  public ConnectionLimiter with(EarlyResponder answering) {
    earlyResponder = answering;
    return this;
  }

  /**
   * Dispatches every request from now on. During a drain, only the dispatched path adds {@code
   * Connection: close} to responses.
   */
  public void dismissPorter() {
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
    int room = most;
    if (number > room && !(number <= room + excess(room) && makesRoom())) {
      inside.decrementAndGet();
      connection.unsafe().closeForcibly();
      return;
    }
    if (number > room) {
      holdBack(ctx);
    }
    connection.closeFuture().addListener(gone -> leave(ctx));
    connection.config().setRecvByteBufAllocator(ONE_READ);
    ConnectionHandler connectionHandler = new ConnectionHandler(this);
    connection.attr(GUEST).set(connectionHandler);
    if (introducers.test(connection.remoteAddress())) {
      connection.pipeline().addLast("introduction", new ProxyProtocolDecoder(connectionHandler));
    }
    connection.pipeline().addLast("guest", connectionHandler);
    ctx.fireChannelRead(connection);
  }

  /** How far the limit may be exceeded while closed connections are still being torn down. */
  private static int excess(int room) {
    return Math.max(32, room / 8);
  }

  private void leave(ChannelHandlerContext ctx) {
    if (inside.decrementAndGet() <= most && isHeldBack) {
      ctx.executor().execute(() -> goOn(ctx));
    }
  }

  /**
   * Pauses accepting for a moment, because a connection takes time to close. Meanwhile new ones
   * wait in the kernel's backlog.
   */
  private void holdBack(ChannelHandlerContext ctx) {
    if (!isHeldBack) {
      isHeldBack = true;
      ctx.channel().config().setAutoRead(false);
      ctx.executor().schedule(() -> goOn(ctx), HOLD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void goOn(ChannelHandlerContext ctx) {
    if (isHeldBack) {
      isHeldBack = false;
      ctx.channel().config().setAutoRead(true);
    }
  }

  /** Starts at the event loop with the most waiting connections; false if there are none. */
  private boolean makesRoom() {
    List<ConnectionTimeouts> all = new ArrayList<>(lobbies.values());
    all.removeIf(connectionTimeouts -> connectionTimeouts.idlers() == 0);
    if (all.isEmpty()) {
      return false;
    }
    all.sort(Comparator.comparingInt(ConnectionTimeouts::idlers).reversed());
    Iterator<ConnectionTimeouts> next = all.iterator();
    next.next().dismissOne(next);
    return true;
  }

  ConnectionTimeouts lobby(EventLoop loop) {
    return lobbies.computeIfAbsent(
        loop,
        each ->
            new ConnectionTimeouts(
                each,
                steadyTime,
                timeouts,
                new UnfinishedHeads(unfinished, () -> unfinishedHeads),
                closed,
                () -> Math.max(4, most / 64)));
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
  public static void greet(HttpConnection connection) {
    ConnectionHandler connectionHandler = guest(connection);
    if (connectionHandler != null) {
      connectionHandler.greetEncrypted();
    }
  }

  /** Makes the current request the last of its connection, even if others were already sent. */
  public static void hearNoMore(HttpConnection connection) {
    ConnectionHandler connectionHandler = guest(connection);
    if (connectionHandler != null) {
      connectionHandler.hearNoMore();
    }
  }

  /** The trailers of the current request; always empty for HTTP/2. */
  public static HttpHeaders trailers(HttpConnection connection) {
    ConnectionHandler connectionHandler = guest(connection);
    return connectionHandler == null ? EmptyHttpHeaders.INSTANCE : connectionHandler.trailers();
  }

  private static @Nullable ConnectionHandler guest(HttpConnection connection) {
    return connection instanceof ConnectionBase base ? base.channel().attr(GUEST).get() : null;
  }
}
