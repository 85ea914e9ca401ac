package io.weir.server.door;

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
 * Somebody who is connected, from the first moment on. When it is known which HTTP is spoken,
 * {@link Heads} or {@link Frames} take over, and this steps out of the way.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class Guest extends ChannelInboundHandlerAdapter {
  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] EMPTY_LINE = "\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TOO_SLOW =
      "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private static final long MOST_UNHEARD = 16L * 1024 * 1024;

  private final Door door;
  private @Nullable Channel channel;
  private @Nullable Lobby lobby;
  private @Nullable Heads heads;
  private boolean isGreeted;
  private boolean isUnknown;
  private int matched;

  /** Whether nothing was answered yet, so that an answer can be sent here. */
  boolean isNew = true;

  /** Whether no further request of this connection is answered. */
  boolean hasHeardEnough;

  /** Whether it has to go, and nothing that it says is listened to. */
  boolean isLeaving;

  /** How many bytes it has said since. */
  private long unheard;

  /** Whether it is waited for a moment until it has heard the last answer. */
  boolean isSayingGoodbye;

  /** What its unfinished heads are counted by; null if they are not. */
  @Nullable Object address;

  // Of the lobby.
  Lobby.@Nullable Place place;
  @Nullable Guest before;
  @Nullable Guest after;
  long since;
  boolean isWarned;

  /** Whether it waited for an answer when its time to be idle was over. */
  boolean wasBusy;

  Guest(Door door) {
    this.door = door;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    address = door.countedAddress(ctx.channel().remoteAddress());
    lobby = door.lobby(ctx.channel().eventLoop());
    stand(Lobby.Place.SILENT);
    ctx.channel().closeFuture().addListener(gone -> stopWaiting());
  }

  /** Who may answer for those inside; null if nobody may. */
  @Nullable Porter porter() {
    return door.porter();
  }

  void stand(Lobby.Place where) {
    if (lobby != null && (!isLeaving || where == Lobby.Place.LEAVING)) {
      isWarned = false;
      wasBusy = false;
      lobby.enter(this, where);
    }
  }

  void stopWaiting() {
    if (place != null && lobby != null) {
      lobby.leave(this);
    }
  }

  /**
   * The time is over.
   *
   * @param from where it stood
   */
  void cutOff(Lobby.Place from) {
    Channel connection = channel;
    if (connection == null) {
      return;
    }
    ChannelHandlerContext encoder = connection.pipeline().context("httpEncoder");
    if (from == Lobby.Place.LEAVING || !connection.isWritable()) {
      Cut.now(connection);
    } else if (from == Lobby.Place.HEAD && isNew && encoder != null) {
      encoder.write(Unpooled.wrappedBuffer(TOO_SLOW));
      sayGoodbye(encoder);
    } else {
      leave();
      connection.close();
    }
  }

  /** A proxy has named the client that the connection is for. */
  void introduce(SocketAddress client) {
    Lobby.Place where = place;
    stopWaiting();
    address = door.countedAddress(client);
    if (where != null) {
      stand(where);
    }
  }

  /** Closes the connection at once to make room; the other end may see the reason or not. */
  void closeNow() {
    Channel connection = channel;
    if (connection == null) {
      return;
    }
    isLeaving = true;
    ChannelHandlerContext encoder = connection.pipeline().context("httpEncoder");
    if (isNew && encoder != null && connection.isWritable()) {
      encoder.writeAndFlush(Unpooled.wrappedBuffer(TOO_SLOW));
    }
    Cut.now(connection);
  }

  private void leave() {
    isLeaving = true;
    stand(Lobby.Place.LEAVING);
  }

  /**
   * Ends the connection behind an answer that was just written. A connection that is closed over
   * bytes that nobody has read is reset, and the other end may lose what it had not taken yet: so
   * this says that nothing follows, and reads on for a moment, until the other end has closed.
   */
  void sayGoodbye(ChannelHandlerContext here) {
    if (isSayingGoodbye) {
      return;
    }
    isSayingGoodbye = true;
    stand(Lobby.Place.IDLE); // the answer may be long, and its reader slow
    isLeaving = true;
    here.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            sent -> {
              if (sent.isSuccess()) {
                leave();
                shutDownOutput(here.channel());
              } else {
                Cut.now(here.channel());
              }
            });
  }

  private static void shutDownOutput(Channel connection) {
    connection.config().setAutoRead(true); // somebody may have paused it
    if (!(connection instanceof DuplexChannel duplex)) {
      Cut.now(connection);
      return;
    }
    SslHandler tls = connection.pipeline().get(SslHandler.class);
    if (tls == null) {
      duplex.shutdownOutput();
    } else {
      tls.closeOutbound().addListener(said -> duplex.shutdownOutput());
    }
  }

  /** The request under way is the last one. */
  void hearNoMore() {
    hasHeardEnough = true;
    if (heads != null) {
      heads.hearNoMore();
    }
  }

  /** What the request under way has said behind its body, over HTTP/1. */
  HttpHeaders trailers() {
    return heads == null ? EmptyHttpHeaders.INSTANCE : heads.trailers();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (place == Lobby.Place.SILENT) {
      stand(Lobby.Place.HEAD);
    }
    if (isUnknown) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (isGreeted || !(message instanceof ByteBuf bytes) || isEncrypted(ctx.pipeline())) {
      ctx.fireChannelRead(message);
      return;
    }
    /*
     * The first bytes tell which HTTP it is, and Vert.x sets itself up when it sees them. What is
     * not HTTP/2 waits here: Vert.x gets an empty line, which nothing is made of, and the bytes
     * come when what looks after requests is in its place.
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
      if (!greet(ctx.pipeline())) {
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
      if (greet(ctx.pipeline()) && rest.isReadable()) {
        ctx.fireChannelRead(rest);
      } else {
        rest.release();
      }
    } else {
      bytes.release(); // the beginning of the preface: it is known
    }
    if (isGreeted && ctx.pipeline().context(this) != null) {
      ctx.pipeline().remove(this);
    }
  }

  private static boolean isEncrypted(ChannelPipeline pipeline) {
    return pipeline.get(SslHandler.class) != null || pipeline.get("ssl") != null;
  }

  /** The handshake is over, and with it is known which HTTP it is; a request may come later. */
  void greetEncrypted() {
    Channel connection = channel;
    if (!isGreeted && connection != null && isEncrypted(connection.pipeline())) {
      ChannelPipeline pipeline = connection.pipeline();
      if (greet(pipeline)) {
        stand(Lobby.Place.SILENT);
        pipeline.remove(this);
      }
    }
  }

  /**
   * Puts what checks requests into its place. Where that is not found, as may be with another
   * version of Vert.x, nothing would check them: the connection is closed, and this returns false.
   */
  private boolean greet(ChannelPipeline pipeline) {
    if (pipeline.get("httpEncoder") != null) {
      isGreeted = true;
      RequestDecoder decoder = door.decoder();
      Heads watching = new Heads(this, decoder);
      heads = watching;
      pipeline.replace("httpDecoder", "httpDecoder", decoder);
      pipeline.addAfter("httpEncoder", "heads", watching);
      pipeline.addBefore("httpDecoder", "bytes", new Bytes(watching));
    } else if (pipeline.get("handler") instanceof Http2ConnectionHandler) {
      isGreeted = true;
      pipeline.addBefore("handler", "frames", new Frames(this, matched == PREFACE.length));
    } else {
      isUnknown = true;
      Cut.now(pipeline.channel());
    }
    return isGreeted;
  }

  /** Whether an answer is under way that nothing else tells of. */
  boolean isBusy() {
    return channel != null
        && channel.pipeline().get("handler") instanceof Http2ConnectionHandler handler
        && handler.connection().numActiveStreams() > 0;
  }

  /** Hears that bytes have come, of which a decoder may or may not make something. */
  private final class Bytes extends ChannelInboundHandlerAdapter {
    private final Heads heads;

    Bytes(Heads heads) {
      this.heads = heads;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (isLeaving) {
        unheard += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        ReferenceCountUtil.release(message);
        if (unheard > MOST_UNHEARD) {
          Cut.now(ctx.channel());
        }
        return;
      }
      if (place == Lobby.Place.SILENT) {
        stand(Lobby.Place.HEAD);
      }
      if (!(message instanceof ByteBuf bytes && isBlank(bytes))) {
        heads.expect();
      }
      ctx.fireChannelRead(message);
    }

    /** Empty lines between requests are no beginning of one; some clients send one behind each. */
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
