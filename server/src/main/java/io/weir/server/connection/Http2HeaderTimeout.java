package io.weir.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Watches the incoming frames of an HTTP/2 connection without changing them, and applies the head
 * timeout to each frame and header block that has begun. Bodies may take longer; they have their
 * own timeouts.
 */
final class Http2HeaderTimeout extends ChannelInboundHandlerAdapter {
  private static final int PREFACE = 24;
  private static final int HEADER = 9;
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int CONTINUATION = 9;
  private static final int END_HEADERS = 4;

  private final ConnectionHandler connectionHandler;
  private int prefaceLeft = PREFACE;

  /** Whether a frame has begun. */
  private boolean hasFrameBegun;

  /**
   * The received bytes of an incomplete frame header (length, type and flags), and their number.
   */
  private long header;

  private int headerBytes;
  private int payloadLeft;
  private int type;
  private boolean isInHeaders;

  Http2HeaderTimeout(ConnectionHandler connectionHandler, boolean hasPreface) {
    this.connectionHandler = connectionHandler;
    prefaceLeft = hasPreface ? 0 : PREFACE;
    connectionHandler.isNew = false;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf bytes) {
      follow(bytes);
      boolean isMidFrame =
          !hasFrameBegun || headerBytes > 0 || isInHeaders || (payloadLeft > 0 && type != DATA);
      if (!isMidFrame) {
        connectionHandler.enterPhase(ConnectionTimeouts.ConnectionPhase.IDLE);
      } else if (connectionHandler.connectionPhase != ConnectionTimeouts.ConnectionPhase.HEAD) {
        connectionHandler.enterPhase(ConnectionTimeouts.ConnectionPhase.HEAD);
      }
    }
    ctx.fireChannelRead(message);
  }

  private void follow(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at < end) {
      if (prefaceLeft > 0) {
        int some = Math.min(prefaceLeft, end - at);
        prefaceLeft -= some;
        at += some;
      } else if (payloadLeft > 0) {
        int some = Math.min(payloadLeft, end - at);
        payloadLeft -= some;
        at += some;
      } else if (headerBytes == 0 && end - at >= HEADER) {
        begin(bytes.getUnsignedMedium(at), bytes.getByte(at + 3), bytes.getByte(at + 4));
        at += HEADER;
      } else {
        if (headerBytes < 5) {
          header = header << 8 | bytes.getByte(at) & 0xff;
        }
        headerBytes++;
        at++;
        if (headerBytes == HEADER) {
          begin((int) (header >>> 16), (byte) (header >>> 8), (byte) header);
          headerBytes = 0;
          header = 0;
        }
      }
    }
  }

  private void begin(int length, byte frame, byte flags) {
    hasFrameBegun = true;
    payloadLeft = length;
    type = frame;
    if (frame == HEADERS || frame == CONTINUATION) {
      isInHeaders = (flags & END_HEADERS) == 0;
    }
  }
}
