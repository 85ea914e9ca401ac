package io.weir.server.wire;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.vertx.core.http.impl.headers.HeadersMultiMap;

/** Reads responses. */
final class ResponseReader extends HttpResponseDecoder {
  private static final int LONGEST_FIRST_LINE = 8 * 1024;
  private static final int LONGEST_HEAD = 64 * 1024;
  private static final int LARGEST_PART = 64 * 1024;

  /** Whether the response has no body, whatever its headers say. */
  private boolean isForHead;

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
    isForHead = head;
  }

  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    return super.isContentAlwaysEmpty(message) || isForHead;
  }

  /** Whether bytes have come that belong to no response. */
  boolean hasMore() {
    return actualReadableBytes() > 0;
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
