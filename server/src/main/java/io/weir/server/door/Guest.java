package io.weir.server.door;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
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
  private static final byte[] TOO_SLOW =
      "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final Door door;
  private @Nullable Channel channel;
  private @Nullable Lobby lobby;
  private boolean isGreeted;
  private int matched;

  /** Whether nothing was answered yet, so that an answer can be sent here. */
  boolean isNew = true;

  /** Whether no further request of this connection is answered. */
  boolean hasHeardEnough;

  // Of the lobby.
  Lobby.@Nullable Place place;
  @Nullable Guest before;
  @Nullable Guest after;
  long since;
  boolean isWarned;

  Guest(Door door) {
    this.door = door;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    lobby = door.lobby(ctx.channel().eventLoop());
    stand(Lobby.Place.SILENT);
    ctx.channel().closeFuture().addListener(gone -> stopWaiting());
  }

  void stand(Lobby.Place where) {
    if (lobby != null) {
      isWarned = false;
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
   * @param hasBegun whether a request has begun
   */
  void cutOff(boolean hasBegun) {
    Channel connection = channel;
    if (connection == null) {
      return;
    }
    ChannelHandlerContext encoder = connection.pipeline().context("httpEncoder");
    if (hasBegun && isNew && encoder != null) {
      encoder
          .writeAndFlush(Unpooled.wrappedBuffer(TOO_SLOW))
          .addListener(ChannelFutureListener.CLOSE);
    } else {
      connection.close();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (place == Lobby.Place.SILENT) {
      stand(Lobby.Place.HEAD);
    }
    if (isGreeted || !(message instanceof ByteBuf bytes) || isEncrypted(ctx.pipeline())) {
      ctx.fireChannelRead(message);
      return;
    }
    /*
     * The first bytes tell which HTTP it is, and Vert.x sets itself up when it sees them. It gets
     * just so many, and the rest when what looks after requests is in its place.
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
    boolean isDecided = matched == PREFACE.length || same < length;
    if (!isDecided) {
      ctx.fireChannelRead(message);
      return;
    }
    int enough = matched == PREFACE.length ? same : same + 1;
    ByteBuf rest = bytes.retainedSlice(from + enough, length - enough);
    bytes.writerIndex(from + enough);
    ctx.fireChannelRead(bytes);
    greet(ctx.pipeline());
    if (rest.isReadable()) {
      ctx.fireChannelRead(rest);
    } else {
      rest.release();
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
      greet(pipeline);
      stand(Lobby.Place.SILENT);
      pipeline.remove(this);
    }
  }

  private void greet(ChannelPipeline pipeline) {
    if (pipeline.get("httpEncoder") != null) {
      isGreeted = true;
      Heads heads = new Heads(this);
      pipeline.addAfter("httpEncoder", "heads", heads);
      pipeline.addBefore("httpDecoder", "bytes", new Bytes(heads));
    } else if (pipeline.get("handler") instanceof Http2ConnectionHandler) {
      isGreeted = true;
      pipeline.addBefore("handler", "frames", new Frames(this, matched == PREFACE.length));
    }
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
      if (place == Lobby.Place.SILENT) {
        stand(Lobby.Place.HEAD);
      }
      heads.expect();
      ctx.fireChannelRead(message);
    }
  }
}
