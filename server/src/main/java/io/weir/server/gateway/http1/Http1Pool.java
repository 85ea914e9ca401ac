package io.weir.server.gateway.http1;

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
public final class Http1Pool implements Runnable {
  private static final int MAX_TRIES = 3;

  private final VertxInternal vertx;
  private final EventLoop loop;
  private final HostResolver hostResolver;
  private final int port;
  private final long keptSeconds;
  private final Bootstrap bootstrap;
  private final Deque<Http1Connection> kept = new ArrayDeque<>();
  private long second;
  private boolean isCounting;

  /** Receives a connection; called on the event loop. */
  public interface ConnectCallback {
    /**
     * A connection is ready.
     *
     * @param isFirst whether it was never used. The server may have closed a used one without this
     *     being known yet
     */
    void connected(Http1Connection http1Connection, boolean isFirst);

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
  public Http1Pool(
      Vertx vertx,
      EventLoop loop,
      HostResolver hostResolver,
      int port,
      Duration connect,
      Duration kept) {
    Transport transport = ((VertxInternal) vertx).transport();
    this.vertx = (VertxInternal) vertx;
    this.loop = loop;
    this.hostResolver = hostResolver;
    this.port = port;
    this.keptSeconds = kept.toSeconds();
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channelFactory(transport.channelFactory(false))
            .disableResolver();
    transport.configure(new HttpClientOptions(), (int) connect.toMillis(), false, bootstrap);
    // A failed write must not close the connection: the server may have sent the reason.
    bootstrap.option(ChannelOption.AUTO_CLOSE, false).handler(new PipelineInitializer());
  }

  /** Installs the handlers of a new connection. */
  private final class PipelineInitializer extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      ResponseReader reader = new ResponseReader();
      channel
          .pipeline()
          .addLast(reader)
          .addLast(new RequestWriter())
          .addLast(new Http1Connection(Http1Pool.this, channel, reader));
    }
  }

  /**
   * Takes a connection from the pool, or opens a new one.
   *
   * @param isNew whether it must be a new one
   */
  public void take(boolean isNew, ConnectCallback connectCallback) {
    for (Http1Connection http1Connection = isNew ? null : kept.pollLast();
        http1Connection != null;
        http1Connection = kept.pollLast()) {
      if (http1Connection.isOpen() && isCurrent(http1Connection)) {
        connectCallback.connected(http1Connection, false);
        return;
      }
      http1Connection.cut();
    }
    ContextInternal context = vertx.getOrCreateContext();
    new ConnectAttempt(context, connectCallback).begin(context);
  }

  /**
   * Whether the server still has the address. Under load, a connection may never be idle and
   * expire.
   */
  private boolean isCurrent(Http1Connection http1Connection) {
    return http1Connection.address != null && hostResolver.isAt(http1Connection.address);
  }

  /** One attempt to open a connection. */
  private final class ConnectAttempt extends AddressAttempts {
    private final ContextInternal context;
    private final ConnectCallback connectCallback;

    ConnectAttempt(ContextInternal context, ConnectCallback connectCallback) {
      super(hostResolver);
      this.context = context;
      this.connectCallback = connectCallback;
    }

    @Override
    protected boolean isWaiting() {
      return connectCallback.isWaiting();
    }

    @Override
    protected void go(InetAddress address) {
      connect(address, MAX_TRIES);
    }

    /**
     * Retries a connect that failed spuriously. A busy event loop may poll a socket before it
     * begins to connect, and the native transport reports it as closed. The server never received
     * that attempt.
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
      Http1Connection http1Connection = connecting.channel().pipeline().get(Http1Connection.class);
      http1Connection.address = address;
      connectCallback.connected(http1Connection, true);
    }

    @Override
    protected void end(Throwable cause) {
      connectCallback.notConnected(cause);
    }
  }

  void keep(Http1Connection http1Connection, long seconds) {
    http1Connection.keptUntil = second + Math.min(seconds, keptSeconds);
    kept.addLast(http1Connection);
    count();
  }

  void forget(Http1Connection http1Connection) {
    kept.remove(http1Connection);
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
        http1Connection -> {
          boolean isOld = second >= http1Connection.keptUntil;
          if (isOld) {
            http1Connection.cut();
          }
          return isOld;
        });
    if (!kept.isEmpty()) {
      count();
    }
  }
}
