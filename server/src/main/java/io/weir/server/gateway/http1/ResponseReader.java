package io.weir.server.gateway.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.util.ReferenceCountUtil;
import io.weir.server.codec.HeadLineValidator;
import io.weir.server.codec.ValidatingHeadersFactory;
import java.util.List;

/**
 * Decodes responses, and closes a connection that receives bytes while no response is awaited.
 * Bytes that arrive before a request was sent would be taken for the start of its response.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class ResponseReader extends HttpResponseDecoder {
  private static final int MAX_FIRST_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEAD_BYTES = 64 * 1024;
  private static final int LARGEST_PART = 64 * 1024;

  private final HeadLineValidator head = new HeadLineValidator();
  private boolean isBroken;

  /** Whether the response has no body, regardless of its headers. */
  private boolean isForHead;

  /** Whether the connection no longer carries HTTP: the bytes that follow are passed on. */
  private boolean isUpgraded;

  private boolean isExpected;
  private boolean isInMessage;

  ResponseReader() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_FIRST_LINE_BYTES)
            .setMaxHeaderSize(MAX_HEAD_BYTES)
            .setMaxChunkSize(LARGEST_PART)
            .setHeadersFactory(new ValidatingHeadersFactory()));
  }

  /** Awaits the response to a request; {@code head} is true for HEAD. */
  void expect(boolean head) {
    isExpected = true;
    isForHead = head;
  }

  /** Awaits no response. */
  void expectNothing() {
    isExpected = false;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object bytes) throws Exception {
    if (isExpected) {
      super.channelRead(ctx, bytes);
    } else {
      ReferenceCountUtil.release(bytes);
      ctx.close();
    }
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
    if (isUpgraded) {
      super.decode(ctx, in, out);
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
  }

  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    if (isBroken) {
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

  /**
   * Requires three digits without a leading 0. Netty would read {@code +200} and {@code 00200} as
   * 200. {@code 099} would be taken for an interim response, after which another one follows.
   */
  @Override
  protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
    head.nextWord(line, start, length);
    boolean isStatus = length == 3 && line[start] != '0';
    for (int i = start; isStatus && i < start + length; i++) {
      isStatus = line[i] >= '0' && line[i] <= '9';
    }
    if (!isStatus) {
      throw new IllegalArgumentException("a status must have three digits and no leading 0");
    }
    return super.splitSecondWordInitialLine(line, start, length);
  }

  @Override
  protected String splitThirdWordInitialLine(byte[] line, int start, int length) {
    head.reason(line, start, length);
    return super.splitThirdWordInitialLine(line, start, length);
  }

  @Override
  protected HttpMessage createMessage(String[] firstLine) {
    isInMessage = true;
    return super.createMessage(firstLine);
  }

  /** A final or interim response is complete. */
  void completed() {
    isInMessage = false;
  }

  @Override
  protected boolean isSwitchingToNonHttp1Protocol(HttpResponse response) {
    isUpgraded = super.isSwitchingToNonHttp1Protocol(response);
    return isUpgraded;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    return super.isContentAlwaysEmpty(message) || isForHead;
  }

  /** Whether bytes were received beyond the last complete response. */
  boolean hasMore() {
    return isInMessage || actualReadableBytes() > 0;
  }
}
