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
 * The connections of one event loop to one server. Those that are not in use are kept for a while,
 * and the one that was used last is used next: so the rest of them grow old and are closed.
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

  /** Who needs a connection; on the event loop. */
  public interface Taker {
    /**
     * There is one.
     *
     * @param isFirst whether nobody has used it so far: else the server may have closed it before
     *     this is known
     */
    void connected(Wire wire, boolean isFirst);

    /** There is none. */
    void notConnected(Throwable cause);

    /** Whether it is still wanted; asked before each address of the server. */
    boolean isWaiting();
  }

  /**
   * None yet.
   *
   * @param connect how long a server may take to accept a connection
   * @param kept how long one is kept that nobody uses
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
    // What cannot be written must not close it: the server may have said why it takes no more.
    bootstrap.option(ChannelOption.AUTO_CLOSE, false).handler(new Setup());
  }

  /** Sets a connection up. */
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
   * Takes a connection, at once if one is kept.
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

  /** While there is much to do a connection may never be idle, and outlive the server's move. */
  private boolean isCurrent(Wire wire) {
    return wire.address != null && name.isAt(wire.address);
  }

  /** A new connection for somebody. */
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
     * Where a loop has much to do, it may look at a socket before that begins to connect, and the
     * system's transport takes it for one that was hung up. The server knows nothing of it.
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
        isCounting = false; // the loop ends, and all that is open with it
      }
    }
  }

  /** A second has passed. */
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
