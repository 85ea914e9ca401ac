package io.weir.server.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.VertxTracerFactory;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A Vert.x transport that puts a {@link ConnectionLimiter} in front of each port.
 *
 * <p>Vert.x reports a connection only after it has sent something. Connections that send nothing,
 * or send too slowly, are visible only in the transport, which creates the sockets. This class
 * wraps the transport that Vert.x would use otherwise.
 */
public final class LimitingTransport implements Transport {
  private final Transport transport;
  private final Map<String, ConnectionLimiter> connectionLimiters = new ConcurrentHashMap<>();

  private LimitingTransport(Transport transport) {
    this.transport = transport;
  }

  /** Creates a Vert.x that supports limiters; it uses the native transport if available. */
  public static Vertx vertx(VertxOptions options) {
    return vertx(options, null);
  }

  /**
   * {@link #vertx(VertxOptions)}.
   *
   * @param tracer traces requests; null for none
   */
  public static Vertx vertx(VertxOptions options, @Nullable VertxTracerFactory tracer) {
    io.vertx.core.transport.Transport system = io.vertx.core.transport.Transport.nativeTransport();
    boolean isAvailable =
        options.getPreferNativeTransport() && system != null && system.available();
    LimitingTransport limitingTransport =
        new LimitingTransport(
            (isAvailable ? system : io.vertx.core.transport.Transport.NIO).implementation());
    VertxBuilder builder = Vertx.builder().with(options);
    return (tracer == null ? builder : builder.withTracer(tracer))
        .withTransport(
            new io.vertx.core.transport.Transport() {
              @Override
              public String name() {
                return "limiting";
              }

              @Override
              public boolean available() {
                return true;
              }

              @Override
              public @Nullable Throwable unavailabilityCause() {
                return null;
              }

              @Override
              public Transport implementation() {
                return limitingTransport;
              }
            })
        .build();
  }

  /**
   * Installs a limiter on a port, before the port is opened. Has no effect if {@code vertx} was not
   * created by {@link #vertx}: connections are then unlimited and have no timeouts.
   *
   * @param options with the same host and port as are passed to listen
   */
  public static void put(
      Vertx vertx, HttpServerOptions options, ConnectionLimiter connectionLimiter) {
    connectionLimiter.limits(options);
    if (((VertxInternal) vertx).transport() instanceof LimitingTransport limitingTransport) {
      limitingTransport.connectionLimiters.put(key(options), connectionLimiter);
    }
  }

  private static String key(NetServerOptions options) {
    return options.getHost() + " " + options.getPort();
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    transport.configure(options, domainSocket, bootstrap);
    ConnectionLimiter connectionLimiter = connectionLimiters.remove(key(options));
    if (connectionLimiter != null) {
      bootstrap.handler(connectionLimiter);
    }
  }

  @Override
  public boolean supportsDomainSockets() {
    return transport.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return transport.supportFileRegion();
  }

  @Override
  public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
    return transport.convert(address);
  }

  @Override
  public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
    return transport.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return transport.ioHandlerFactory();
  }

  @Override
  public EventLoopGroup eventLoopGroup(
      int type, int nThreads, ThreadFactory threadFactory, int ioRatio) {
    return transport.eventLoopGroup(type, nThreads, threadFactory, ioRatio);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return transport.datagramChannel();
  }

  @Override
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return transport.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return transport.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return transport.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    transport.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
    transport.configure(options, connectTimeout, domainSocket, bootstrap);
  }
}
