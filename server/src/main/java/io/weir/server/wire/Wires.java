package io.weir.server.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The connection pool of one event loop to one server, confined to that event loop. The connection
 * used last is reused first, so that superfluous ones expire.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class Wires implements Runnable {
  private static final int MOST_TRIES = 3;

  private final VertxInternal vertx;
  private final EventLoop loop;
  private final Name name;
  private final int port;
  private final long keptSeconds;
  private final Bootstrap bootstrap;
  private final Deque<Wire> kept = new ArrayDeque<>();
  private long second;
  private boolean isCounting;

  /** Receives a connection; called on the event loop. */
  public interface Taker {
    /**
     * A connection is ready.
     *
     * @param isFirst whether it was never used. The server may have closed a used one without this
     *     being known yet
     */
    void connected(Wire wire, boolean isFirst);

    /** No connection could be made. */
    void notConnected(Throwable cause);

    /** Whether a connection is still wanted; called before each address of the server is tried. */
    boolean isWaiting();
  }

  /**
   * Without connections.
   *
   * @param connect the connect timeout
   * @param kept how long an unused connection is kept
   */
  public Wires(Vertx vertx, EventLoop loop, Name name, int port, Duration connect, Duration kept) {
    Transport transport = ((VertxInternal) vertx).transport();
    this.vertx = (VertxInternal) vertx;
    this.loop = loop;
    this.name = name;
    this.port = port;
    this.keptSeconds = kept.toSeconds();
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channelFactory(transport.channelFactory(false))
            .disableResolver();
    transport.configure(new HttpClientOptions(), (int) connect.toMillis(), false, bootstrap);
    // A failed write must not close the connection: the server may have sent the reason.
    bootstrap.option(ChannelOption.AUTO_CLOSE, false).handler(new Setup());
  }

  /** Installs the handlers of a new connection. */
  private final class Setup extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      ResponseReader reader = new ResponseReader();
      channel
          .pipeline()
          .addLast(reader)
          .addLast(new RequestWriter())
          .addLast(new Wire(Wires.this, channel, reader));
    }
  }

  /**
   * Takes a connection from the pool, or opens a new one.
   *
   * @param isNew whether it must be a new one
   */
  public void take(boolean isNew, Taker taker) {
    for (Wire wire = isNew ? null : kept.pollLast(); wire != null; wire = kept.pollLast()) {
      if (wire.isOpen() && isCurrent(wire)) {
        taker.connected(wire, false);
        return;
      }
      wire.cut();
    }
    ContextInternal context = vertx.getOrCreateContext();
    new Connecting(context, taker).begin(context);
  }

  /**
   * Whether the server still has the address. Under load, a connection may never be idle and
   * expire.
   */
  private boolean isCurrent(Wire wire) {
    return wire.address != null && name.isAt(wire.address);
  }

  /** One attempt to open a connection. */
  private final class Connecting extends Round {
    private final ContextInternal context;
    private final Taker taker;

    Connecting(ContextInternal context, Taker taker) {
      super(name);
      this.context = context;
      this.taker = taker;
    }

    @Override
    protected boolean isWaiting() {
      return taker.isWaiting();
    }

    @Override
    protected void go(InetAddress address) {
      connect(address, MOST_TRIES);
    }

    /**
     * Retries a connect that failed spuriously. A busy event loop may poll a socket before it
     * begins to connect, and the native transport reports it as closed. The server never saw that
     * attempt.
     */
    private void connect(InetAddress address, int tries) {
      ChannelFuture connecting = bootstrap.connect(new InetSocketAddress(address, port));
      connecting.addListener(
          done -> {
            if (tries > 1 && connecting.cause() instanceof ClosedChannelException) {
              connect(address, tries - 1);
            } else if (connecting.isSuccess()) {
              context.dispatch(() -> connected(connecting, address));
            } else {
              context.dispatch(() -> failed(address, connecting.cause()));
            }
          });
    }

    private void connected(ChannelFuture connecting, InetAddress address) {
      Wire wire = connecting.channel().pipeline().get(Wire.class);
      wire.address = address;
      taker.connected(wire, true);
    }

    @Override
    protected void end(Throwable cause) {
      taker.notConnected(cause);
    }
  }

  void keep(Wire wire, long seconds) {
    wire.keptUntil = second + Math.min(seconds, keptSeconds);
    kept.addLast(wire);
    count();
  }

  void forget(Wire wire) {
    kept.remove(wire);
  }

  private void count() {
    if (!isCounting) {
      try {
        loop.schedule(this, 1, TimeUnit.SECONDS);
        isCounting = true;
      } catch (RejectedExecutionException e) {
        isCounting = false; // the event loop is stopping, and its connections with it
      }
    }
  }

  /** Runs once a second and closes expired connections. */
  @Override
  public void run() {
    isCounting = false;
    second++;
    kept.removeIf(
        wire -> {
          boolean isOld = second >= wire.keptUntil;
          if (isOld) {
            wire.cut();
          }
          return isOld;
        });
    if (!kept.isEmpty()) {
      count();
    }
  }
}
