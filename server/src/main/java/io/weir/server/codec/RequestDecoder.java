package io.weir.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the requests of an HTTP/1 connection, in place of Vert.x's decoder.
 *
 * <p>Vert.x's decoder recognizes frequent headers by some of their bytes. In 5.0.12 it takes {@code
 * Content-Xength} for {@code Content-Length} (CVE-2026-102479), so that the next request on the
 * connection is read as a body. Here Netty compares whole names.
 *
 * <p>It stops decoding while {@value #MAX_PIPELINED} requests are unanswered: one packet can hold
 * thousands, and a decoded request takes a hundred times as much memory. It also stops after a
 * request for a WebSocket until the response is known: after a 101 it is removed and passes on the
 * received bytes, which are not HTTP. Meanwhile it holds at most {@value #MAX_HELD} bytes plus one
 * read.
 *
 * <p>Not thread-safe: belongs to one connection.
 */
public final class RequestDecoder extends HttpRequestDecoder {
  private static final int VERSION_LENGTH = "HTTP/1.1".length();

  private static final int MAX_PIPELINED = 8;
  private static final int MAX_HELD = 16 * 1024;

  private final HeadLineValidator head = new HeadLineValidator();
  private boolean isBroken;

  /** Whether the current request asks for a WebSocket. */
  private boolean isForWebSocket;

  /** Whether such a request is complete and unanswered. */
  private boolean awaitsUpgrade;

  /** Whether too many requests are unanswered to decode more. */
  private boolean isFull;

  private @Nullable ChannelHandlerContext paused;

  /** A decoder with the limits of a port. */
  public RequestDecoder(HttpServerOptions limits) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.getMaxInitialLineLength())
            .setMaxHeaderSize(limits.getMaxHeaderSize())
            .setMaxChunkSize(limits.getMaxChunkSize())
            .setInitialBufferSize(limits.getDecoderInitialBufferSize()));
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isHolding()) {
      if (in.readableBytes() > MAX_HELD) {
        pause(ctx);
      }
      return;
    }
    String fault = isBroken ? null : head.fault(in);
    if (fault != null) {
      isBroken = true;
      HttpMessage invalid = createInvalidMessage();
      invalid.setDecoderResult(DecoderResult.failure(new IllegalArgumentException(fault)));
      out.add(invalid);
    }
    if (isBroken) {
      in.skipBytes(in.readableBytes()); // the rest of the input cannot be trusted
      return;
    }
    int before = out.size();
    super.decode(ctx, in, out);
    head.decoded(out, before);
    lookForWebSocket(out, before);
  }

  private void lookForWebSocket(List<Object> out, int from) {
    for (int i = from; i < out.size(); i++) {
      Object each = out.get(i);
      if (each instanceof HttpRequest request) {
        isForWebSocket =
            request.headers().containsValue(HttpHeaderNames.UPGRADE, "websocket", true);
      }
      if (each instanceof LastHttpContent) {
        awaitsUpgrade = isForWebSocket;
        isForWebSocket = false;
      }
    }
  }

  private boolean isHolding() {
    return awaitsUpgrade || isFull;
  }

  /**
   * A request was received completely.
   *
   * @param unanswered the number of unanswered requests, including this one
   */
  public void completed(int unanswered) {
    isFull = unanswered >= MAX_PIPELINED;
  }

  /**
   * A response is complete, and the connection was not upgraded.
   *
   * @param unanswered the number of requests that are still unanswered
   */
  public void answered(ChannelHandlerContext here, int unanswered) {
    if (isHolding()) {
      awaitsUpgrade &= unanswered > 0;
      isFull &= unanswered >= MAX_PIPELINED;
      if (!isHolding()) {
        ChannelHandlerContext own = here.pipeline().context(this);
        here.executor().execute(() -> decodeHeld(own));
      }
    }
  }

  private void decodeHeld(@Nullable ChannelHandlerContext own) {
    resume();
    if (own == null || own.isRemoved()) {
      return;
    }
    try {
      channelRead(own, Unpooled.EMPTY_BUFFER);
      channelReadComplete(own);
    } catch (Exception e) { // the type that both methods declare
      own.fireExceptionCaught(e);
    }
  }

  /** Netty's decoder would continue reading after decoding nothing, even while paused. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    if (paused == null) {
      super.channelReadComplete(ctx);
    } else {
      ctx.fireChannelReadComplete();
    }
  }

  private void pause(ChannelHandlerContext ctx) {
    paused = ctx;
    ctx.channel().config().setAutoRead(false);
  }

  private void resume() {
    if (paused != null) {
      paused.channel().config().setAutoRead(true);
      paused = null;
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
    resume();
    super.handlerRemoved0(ctx);
  }

  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    if (isBroken || isHolding()) {
      in.skipBytes(in.readableBytes());
    } else {
      super.decodeLast(ctx, in, out);
    }
  }

  @Override
  protected String splitFirstWordInitialLine(byte[] line, int start, int length) {
    head.firstWord(start, length);
    return super.splitFirstWordInitialLine(line, start, length);
  }

  @Override
  protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
    head.nextWord(line, start, length);
    return super.splitSecondWordInitialLine(line, start, length);
  }

  /** Requires the exact form of a version: Netty would read {@code http/01.1} as HTTP/1.1. */
  @Override
  protected String splitThirdWordInitialLine(byte[] line, int start, int length) {
    head.nextWord(line, start, length);
    String version = super.splitThirdWordInitialLine(line, start, length);
    if (length != VERSION_LENGTH || !version.startsWith("HTTP/") || version.charAt(6) != '.') {
      throw new IllegalArgumentException("invalid HTTP version");
    }
    return version;
  }

  /**
   * Creates requests with Vert.x's headers, which are faster than Netty's and encode themselves.
   */
  @Override
  protected HttpMessage createMessage(String[] firstLine) {
    return new DefaultHttpRequest(
        HttpVersion.valueOf(firstLine[2]),
        HttpMethod.valueOf(firstLine[0]),
        firstLine[1],
        HeadersMultiMap.httpHeaders());
  }
}
