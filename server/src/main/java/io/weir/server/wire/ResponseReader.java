package io.weir.server.wire;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.impl.headers.HeadersMultiMap;

/**
 * Reads responses, but only such as somebody waits for: what comes before a request was sent would
 * be taken for the beginning of its response.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class ResponseReader extends HttpResponseDecoder {
  private static final int LONGEST_FIRST_LINE = 8 * 1024;
  private static final int LONGEST_HEAD = 64 * 1024;
  private static final int LARGEST_PART = 64 * 1024;

  /** Whether the response has no body, whatever its headers say. */
  private boolean isForHead;

  private boolean isAwaited;
  private boolean isInMidst;

  ResponseReader() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LONGEST_FIRST_LINE)
            .setMaxHeaderSize(LONGEST_HEAD)
            .setMaxChunkSize(LARGEST_PART)
            .setHeadersFactory(new Checked()));
  }

  /** What is asked for next. */
  void expect(boolean head) {
    isAwaited = true;
    isForHead = head;
  }

  /** Nobody waits for anything. */
  void expectNothing() {
    isAwaited = false;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) throws Exception {
    if (isAwaited) {
      super.channelRead(ctx, bytes);
    } else {
      ReferenceCountUtil.release(bytes);
      ctx.close();
    }
  }

  @Override
  protected HttpMessage createMessage(String[] firstLine) {
    isInMidst = true;
    return super.createMessage(firstLine);
  }

  /** A response, or what came before it, is complete. */
  void completed() {
    isInMidst = false;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    return super.isContentAlwaysEmpty(message) || isForHead;
  }

  /** Whether bytes have come that belong to no response so far. */
  boolean hasMore() {
    return isInMidst || actualReadableBytes() > 0;
  }

  /** Names and values that can be passed on. */
  private static final class Checked implements HttpHeadersFactory {
    @Override
    public HttpHeaders newHeaders() {
      return HeadersMultiMap.httpHeaders();
    }

    @Override
    public HttpHeaders newEmptyHeaders() {
      return HeadersMultiMap.httpHeaders();
    }
  }
}
