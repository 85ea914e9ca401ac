package io.weir.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.weir.server.codec.RequestDecoder;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Handles a connection from accept on. As soon as the HTTP version is known, {@link
 * Http1RequestTracker} or {@link Http2HeaderTimeout} take over, and this handler removes itself
 * from the pipeline.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] EMPTY_LINE = "\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TOO_SLOW =
      "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private static final long MAX_DISCARDED = 16L * 1024 * 1024;

  private final ConnectionLimiter connectionLimiter;
  private @Nullable Channel channel;
  private @Nullable ConnectionTimeouts connectionTimeouts;
  private @Nullable Http1RequestTracker http1RequestTracker;
  private boolean areHandlersInstalled;
  private boolean isUnknown;
  private int matched;

  /** Whether no request has been received yet, so that this handler may send a response itself. */
  boolean isNew = true;

  /** Whether further requests of this connection are discarded. */
  boolean discardsRequests;

  /** Whether the connection is closing, and its input is discarded. */
  boolean isClosing;

  /** The number of bytes discarded since. */
  private long discarded;

  /** Whether the close is delayed until the client has received the last response. */
  boolean isClosingGracefully;

  /** The key by which its unfinished heads are counted; null if they are not counted. */
  @Nullable Object address;

  // Owned by ConnectionTimeouts.
  ConnectionTimeouts.@Nullable ConnectionPhase connectionPhase;
  @Nullable ConnectionHandler before;
  @Nullable ConnectionHandler after;
  long since;
  boolean isExpired;

  /** Whether a response was pending when the idle timeout expired. */
  boolean wasBusy;

  ConnectionHandler(ConnectionLimiter connectionLimiter) {
    this.connectionLimiter = connectionLimiter;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    address = connectionLimiter.countedAddress(ctx.channel().remoteAddress());
    connectionTimeouts = connectionLimiter.timeoutsOf(ctx.channel().eventLoop());
    enterPhase(ConnectionTimeouts.ConnectionPhase.SILENT);
    ctx.channel().closeFuture().addListener(gone -> stopWaiting());
  }

  /** The responder that may respond before dispatch; null if there is none. */
  @Nullable EarlyResponder earlyResponder() {
    return connectionLimiter.earlyResponder();
  }

  void enterPhase(ConnectionTimeouts.ConnectionPhase where) {
    if (connectionTimeouts != null
        && (!isClosing || where == ConnectionTimeouts.ConnectionPhase.LEAVING)) {
      isExpired = false;
      wasBusy = false;
      connectionTimeouts.enter(this, where);
    }
  }

  void stopWaiting() {
    if (connectionPhase != null && connectionTimeouts != null) {
      connectionTimeouts.leave(this);
    }
  }

  /**
   * Closes the connection because of a timeout.
   *
   * @param from the phase that timed out
   */
  void cutOff(ConnectionTimeouts.ConnectionPhase from) {
    Channel connection = channel;
    if (connection == null) {
      return;
    }
    ChannelHandlerContext encoder = connection.pipeline().context("httpEncoder");
    if (from == ConnectionTimeouts.ConnectionPhase.LEAVING || !connection.isWritable()) {
      ForceClose.now(connection);
    } else if (from == ConnectionTimeouts.ConnectionPhase.HEAD && isNew && encoder != null) {
      encoder.write(Unpooled.wrappedBuffer(TOO_SLOW));
      closeGracefully(encoder);
    } else {
      leave();
      connection.close();
    }
  }

  /** Sets the client address that a proxy has reported for this connection. */
  void introduce(SocketAddress client) {
    ConnectionTimeouts.ConnectionPhase where = connectionPhase;
    stopWaiting();
    address = connectionLimiter.countedAddress(client);
    if (where != null) {
      enterPhase(where);
    }
  }

  /** Closes the connection at once to make room. The 408 response may not reach the client. */
  void closeNow() {
    Channel connection = channel;
    if (connection == null) {
      return;
    }
    isClosing = true;
    ChannelHandlerContext encoder = connection.pipeline().context("httpEncoder");
    if (isNew && encoder != null && connection.isWritable()) {
      encoder.writeAndFlush(Unpooled.wrappedBuffer(TOO_SLOW));
    }
    ForceClose.now(connection);
  }

  private void leave() {
    isClosing = true;
    enterPhase(ConnectionTimeouts.ConnectionPhase.LEAVING);
  }

  /**
   * Closes the connection after the response that was just written. If a socket is closed with
   * unread input, the kernel resets the connection, and the client may lose the rest of the
   * response. So this shuts down the output and keeps reading for a moment, until the client has
   * closed.
   */
  void closeGracefully(ChannelHandlerContext here) {
    if (isClosingGracefully) {
      return;
    }
    isClosingGracefully = true;
    enterPhase(
        ConnectionTimeouts.ConnectionPhase.IDLE); // a long response to a slow reader takes time
    isClosing = true;
    here.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            sent -> {
              if (sent.isSuccess()) {
                leave();
                shutDownOutput(here.channel());
              } else {
                ForceClose.now(here.channel());
              }
            });
  }

  private static void shutDownOutput(Channel connection) {
    connection.config().setAutoRead(true); // reading may be paused
    if (!(connection instanceof DuplexChannel duplex)) {
      ForceClose.now(connection);
      return;
    }
    SslHandler tls = connection.pipeline().get(SslHandler.class);
    if (tls == null) {
      duplex.shutdownOutput();
    } else {
      tls.closeOutbound().addListener(said -> duplex.shutdownOutput());
    }
  }

  /** Makes the current request the last one. */
  void discardFurtherRequests() {
    discardsRequests = true;
    if (http1RequestTracker != null) {
      http1RequestTracker.discardFurtherRequests();
    }
  }

  /** The trailers of the current HTTP/1 request. */
  HttpHeaders trailers() {
    return http1RequestTracker == null ? EmptyHttpHeaders.INSTANCE : http1RequestTracker.trailers();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (connectionPhase == ConnectionTimeouts.ConnectionPhase.SILENT) {
      enterPhase(ConnectionTimeouts.ConnectionPhase.HEAD);
    }
    if (isUnknown) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (areHandlersInstalled
        || !(message instanceof ByteBuf bytes)
        || isEncrypted(ctx.pipeline())) {
      ctx.fireChannelRead(message);
      return;
    }
    /* Vert.x configures the pipeline when the first bytes show the HTTP version. HTTP/1 bytes wait
     * here: Vert.x first gets an empty line, from which no request is decoded. The bytes follow
     * once the handler that tracks requests is installed.
     */
    int from = bytes.readerIndex();
    int length = bytes.readableBytes();
    int same = 0;
    while (matched < PREFACE.length
        && same < length
        && bytes.getByte(from + same) == PREFACE[matched]) {
      matched++;
      same++;
    }
    boolean isHttp1 = same < length && matched < PREFACE.length;
    if (isHttp1) {
      ctx.fireChannelRead(Unpooled.copiedBuffer(EMPTY_LINE));
      if (!installHandlers(ctx.pipeline())) {
        bytes.release();
        return;
      }
      if (matched > same) {
        ctx.fireChannelRead(Unpooled.copiedBuffer(PREFACE, 0, matched - same));
      }
      ctx.fireChannelRead(message);
    } else if (matched == PREFACE.length) {
      ByteBuf rest = bytes.retainedSlice(from + same, length - same);
      bytes.release();
      ctx.fireChannelRead(Unpooled.copiedBuffer(PREFACE));
      if (installHandlers(ctx.pipeline()) && rest.isReadable()) {
        ctx.fireChannelRead(rest);
      } else {
        rest.release();
      }
    } else {
      bytes.release(); // a partial preface; its bytes are known
    }
    if (areHandlersInstalled && ctx.pipeline().context(this) != null) {
      ctx.pipeline().remove(this);
    }
  }

  private static boolean isEncrypted(ChannelPipeline pipeline) {
    return pipeline.get(SslHandler.class) != null || pipeline.get("ssl") != null;
  }

  /** The TLS handshake is complete, and ALPN has selected the HTTP version. */
  void installEncrypted() {
    Channel connection = channel;
    if (!areHandlersInstalled && connection != null && isEncrypted(connection.pipeline())) {
      ChannelPipeline pipeline = connection.pipeline();
      if (installHandlers(pipeline)) {
        enterPhase(ConnectionTimeouts.ConnectionPhase.SILENT);
        pipeline.remove(this);
      }
    }
  }

  /**
   * Puts what checks requests into its place. Where that is not found, as may be with another
   * version of Vert.x, nothing would check them: the connection is closed, and this returns false.
   */
  private boolean installHandlers(ChannelPipeline pipeline) {
    if (pipeline.get("httpEncoder") != null) {
      areHandlersInstalled = true;
      RequestDecoder decoder = connectionLimiter.decoder();
      Http1RequestTracker watching = new Http1RequestTracker(this, decoder);
      http1RequestTracker = watching;
      pipeline.replace("httpDecoder", "httpDecoder", decoder);
      pipeline.addAfter("httpEncoder", "heads", watching);
      pipeline.addBefore("httpDecoder", "bytes", new ReadListener(watching));
    } else if (pipeline.get("handler") instanceof Http2ConnectionHandler) {
      areHandlersInstalled = true;
      pipeline.addBefore(
          "handler", "frames", new Http2HeaderTimeout(this, matched == PREFACE.length));
    } else {
      isUnknown = true;
      ForceClose.now(pipeline.channel());
    }
    return areHandlersInstalled;
  }

  /**
   * Whether HTTP/2 streams are active; {@link Http1RequestTracker} tracks HTTP/1 requests instead.
   */
  boolean isBusy() {
    return channel != null
        && channel.pipeline().get("handler") instanceof Http2ConnectionHandler handler
        && handler.connection().numActiveStreams() > 0;
  }

  /** Records received bytes before the decoder decides whether they are a message. */
  private final class ReadListener extends ChannelInboundHandlerAdapter {
    private final Http1RequestTracker http1RequestTracker;

    ReadListener(Http1RequestTracker http1RequestTracker) {
      this.http1RequestTracker = http1RequestTracker;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (isClosing) {
        discarded += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        ReferenceCountUtil.release(message);
        if (discarded > MAX_DISCARDED) {
          ForceClose.now(ctx.channel());
        }
        return;
      }
      if (connectionPhase == ConnectionTimeouts.ConnectionPhase.SILENT) {
        enterPhase(ConnectionTimeouts.ConnectionPhase.HEAD);
      }
      if (!(message instanceof ByteBuf bytes && isBlank(bytes))) {
        http1RequestTracker.expect();
      }
      ctx.fireChannelRead(message);
    }

    /** Empty lines do not begin a request; some clients send one after each request. */
    private static boolean isBlank(ByteBuf bytes) {
      int at = bytes.readerIndex();
      int end = bytes.writerIndex();
      while (at < end && (bytes.getByte(at) == '\r' || bytes.getByte(at) == '\n')) {
        at++;
      }
      return at == end;
    }
  }
}
