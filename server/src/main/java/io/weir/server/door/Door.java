package io.weir.server.door;

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
 * The door of a port: lets only so many in, and asks those to leave who do not say what they want.
 *
 * <p>When it is full, whoever has been idle for longest makes room for the next one, so that a
 * crowd of idlers keeps nobody out. Only if all are busy, the next one is turned away.
 */
@Sharable
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class Door extends ChannelInboundHandlerAdapter {
  private static final AttributeKey<Guest> GUEST = AttributeKey.valueOf(Door.class, "guest");
  private static final int MOST = 10_000;

  /**
   * An event loop reads 64 KiB at most of a connection before it turns to the next and sends what
   * was written. Netty would read 16 times that: 60,000 frames of HTTP/2, with a response to each.
   */
  private static final RecvByteBufAllocator ONE_READ =
      new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1);

  /** In percent; also what a port has where nothing else is set. */
  private static final int UNFINISHED_SHARE = 25;

  private static final int LEAST_UNFINISHED = 8;
  private static final long HOLD_MILLIS = 250;

  private volatile int most;
  private volatile int unfinishedHeads;
  private final Patience patience;
  private final ConcurrentHashMap<Object, Integer> unfinished = new ConcurrentHashMap<>();
  private final ClosedConnections closed = new ClosedConnections();
  private final Predicate<SocketAddress> proxies;
  private final Predicate<SocketAddress> introducers;
  private volatile @Nullable Porter porter;
  private volatile HttpServerOptions limits = new HttpServerOptions();
  private volatile boolean isHeldBack;
  private final AtomicInteger inside = new AtomicInteger();
  private final Map<EventLoop, Lobby> lobbies = new ConcurrentHashMap<>();

  /**
   * How long somebody may take.
   *
   * @param silent until the first byte, or until the first one after a TLS handshake
   * @param head from the first byte of a request until its headers are complete
   * @param idle between requests
   */
  public record Patience(Duration silent, Duration head, Duration idle) {
    /** Long enough for everybody who means it. */
    public static final Patience USUAL =
        new Patience(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMinutes(2));

    /** The same but for those who are idle. */
    public Patience withIdle(Duration time) {
      return new Patience(silent, head, time);
    }
  }

  /** A door as most ports have it. */
  public Door() {
    this(MOST, Patience.USUAL);
  }

  /** A door that lets {@code most} in at a time. */
  public Door(int most, Patience patience) {
    this(most, patience, UNFINISHED_SHARE, anybody -> false, anybody -> false);
  }

  /**
   * A door that lets {@code most} in at a time.
   *
   * @param unfinishedShare how many of them may be connections of one address that have not sent a
   *     whole head, in percent
   * @param proxies whose connections are not counted as those of one address
   * @param introducers proxies that say first for whom they come, by the PROXY protocol
   */
  public Door(
      int most,
      Patience patience,
      int unfinishedShare,
      Predicate<SocketAddress> proxies,
      Predicate<SocketAddress> introducers) {
    this.introducers = introducers;
    this.proxies = proxies;
    this.most = most;
    this.unfinishedHeads = unfinished(most, unfinishedShare);
    this.patience = patience;
  }

  /** How many of {@code most} connections one address may leave unfinished. */
  public static int unfinished(int most, int share) {
    return Math.max(LEAST_UNFINISHED, (int) (most * (long) share / 100));
  }

  /**
   * Lets another number in from now on. Where more are inside, as many of the idle ones as that are
   * asked to leave.
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

  /** The same door, with somebody at it who answers for those inside where that is enough. */
  public Door with(Porter answering) {
    porter = answering;
    return this;
  }

  /** From now on everybody is let in: only inside it is known that it is time to leave. */
  public void dismissPorter() {
    porter = null;
  }

  @Nullable Porter porter() {
    return porter;
  }

  /** How long requests may be here: as the port has it. */
  void limits(HttpServerOptions port) {
    limits = port;
  }

  /** A decoder for a new connection over HTTP/1. */
  RequestDecoder decoder() {
    return new RequestDecoder(limits);
  }

  /** How many are connected. */
  public int inside() {
    return inside.get();
  }

  /** Somebody has connected: {@code message} is that connection, which nobody has seen yet. */
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
    Guest guest = new Guest(this);
    connection.attr(GUEST).set(guest);
    if (introducers.test(connection.remoteAddress())) {
      connection.pipeline().addLast("introduction", new Introduction(guest));
    }
    connection.pipeline().addLast("guest", guest);
    ctx.fireChannelRead(connection);
  }

  /** Those who are asked to leave are not gone at once. */
  private static int excess(int room) {
    return Math.max(32, room / 8);
  }

  private void leave(ChannelHandlerContext ctx) {
    if (inside.decrementAndGet() <= most && isHeldBack) {
      ctx.executor().execute(() -> goOn(ctx));
    }
  }

  /** Whoever makes room needs a moment: meanwhile those outside wait in the system's queue. */
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

  /** Begins where most are idle; false if nobody is. */
  private boolean makesRoom() {
    List<Lobby> all = new ArrayList<>(lobbies.values());
    all.removeIf(lobby -> lobby.idlers() == 0);
    if (all.isEmpty()) {
      return false;
    }
    all.sort(Comparator.comparingInt(Lobby::idlers).reversed());
    Iterator<Lobby> next = all.iterator();
    next.next().dismissOne(next);
    return true;
  }

  Lobby lobby(EventLoop loop) {
    return lobbies.computeIfAbsent(
        loop,
        each ->
            new Lobby(
                each,
                patience,
                new UnfinishedHeads(unfinished, () -> unfinishedHeads),
                closed,
                () -> Math.max(4, most / 64)));
  }

  /**
   * What the unfinished heads of a client are counted by: its address, of IPv6 the first 64 bits.
   * Null if it has none, or if it is a proxy, which speaks for many.
   */
  @Nullable Object countedAddress(@Nullable SocketAddress client) {
    if (!(client instanceof InetSocketAddress inet)
        || inet.getAddress() == null
        || proxies.test(client)) {
      return null;
    }
    InetAddress address = inet.getAddress();
    // One object is equal to another of the same kind only: no IPv4 address is an IPv6 network.
    return address instanceof Inet6Address
        ? ByteBuffer.wrap(address.getAddress()).getLong()
        : address;
  }

  /** Vert.x has set up a connection. */
  public static void greet(HttpConnection connection) {
    Guest guest = guest(connection);
    if (guest != null) {
      guest.greetEncrypted();
    }
  }

  /** The request under way is the last of its connection, whatever else was sent. */
  public static void hearNoMore(HttpConnection connection) {
    Guest guest = guest(connection);
    if (guest != null) {
      guest.hearNoMore();
    }
  }

  /** What the request under way has said behind its body; nothing over HTTP/2. */
  public static HttpHeaders trailers(HttpConnection connection) {
    Guest guest = guest(connection);
    return guest == null ? EmptyHttpHeaders.INSTANCE : guest.trailers();
  }

  private static @Nullable Guest guest(HttpConnection connection) {
    return connection instanceof ConnectionBase base ? base.channel().attr(GUEST).get() : null;
  }
}
