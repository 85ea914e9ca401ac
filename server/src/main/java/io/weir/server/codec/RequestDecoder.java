package io.weir.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import java.util.List;

/**
 * Decodes the requests of an HTTP/1 connection, instead of the decoder of Vert.x.
 *
 * <p>That one recognises frequent headers by some of their bytes: in 5.0.12 it takes {@code
 * Content-Xength} for {@code Content-Length} (CVE-2026-102479), so that the next request on the
 * connection is read as a body. Here names are compared by Netty, in full.
 *
 * <p>Not thread-safe: belongs to one connection.
 */
public final class RequestDecoder extends HttpRequestDecoder {
  private static final int VERSION_LENGTH = "HTTP/1.1".length();

  private final HeadLines head = new HeadLines();
  private boolean isBroken;

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
    String fault = isBroken ? null : head.fault(in);
    if (fault != null) {
      isBroken = true;
      HttpMessage invalid = createInvalidMessage();
      invalid.setDecoderResult(DecoderResult.failure(new IllegalArgumentException(fault)));
      out.add(invalid);
    }
    if (isBroken) {
      in.skipBytes(in.readableBytes()); // what follows may be anything
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

  @Override
  protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
    head.nextWord(line, start, length);
    return super.splitSecondWordInitialLine(line, start, length);
  }

  /** Only a version in full: Netty would read {@code http/01.1} as HTTP/1.1. */
  @Override
  protected String splitThirdWordInitialLine(byte[] line, int start, int length) {
    head.nextWord(line, start, length);
    String version = super.splitThirdWordInitialLine(line, start, length);
    if (length != VERSION_LENGTH || !version.startsWith("HTTP/") || version.charAt(6) != '.') {
      throw new IllegalArgumentException("no version of HTTP");
    }
    return version;
  }

  /** Their headers are those of Vert.x, which are faster than Netty's, and write themselves. */
  @Override
  protected HttpMessage createMessage(String[] firstLine) {
    return new DefaultHttpRequest(
        HttpVersion.valueOf(firstLine[2]),
        HttpMethod.valueOf(firstLine[0]),
        firstLine[1],
        HeadersMultiMap.httpHeaders());
  }
}
