package io.weir.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.weir.server.codec.RequestDecoder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tracks the requests and responses of an HTTP/1 connection, between the codec and Vert.x. */
@SuppressWarnings("FutureReturnValueIgnored") // the promise reports the outcome
final class Http1RequestTracker extends ChannelDuplexHandler {
  private static final AsciiString CONNECTION = AsciiString.cached("Connection");

  private final ConnectionHandler connectionHandler;
  private final RequestDecoder decoder;

  /** Bytes received after a WebSocket request, until the WebSocket handler is installed. */
  private @Nullable List<Object> early;

  /** The request that has a complete head but not a complete body. */
  private @Nullable HttpRequest unfinished;

  /** Whether 100 (Continue) was sent for it. */
  private boolean isContinueSent;

  private boolean isBroken;

  /** Whether the current request closes the connection: no other may follow. */
  private boolean isLast;

  private int unanswered;

  /** The trailers of the current request. */
  private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;

  /** Whether the decoder has consumed bytes without producing a message from them yet. */
  private boolean expectsMore;

  /**
   * Whether the next head began while a response was pending. Its timeout starts after that
   * response.
   */
  private boolean owesHead;

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable ChannelHandlerContext encoder;

  /** The early response to the current request, sent at the end of the request. */
  private @Nullable ByteBuf ready;

  /** Whether an early response was written but not flushed. */
  private boolean owesFlush;

  Http1RequestTracker(ConnectionHandler connectionHandler, RequestDecoder decoder) {
    this.connectionHandler = connectionHandler;
    this.decoder = decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext here) {
    ctx = here;
    encoder = here.pipeline().context("httpEncoder");
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf) {
      passUpgraded(ctx, message);
      return;
    }
    expectsMore = false;
    boolean isNext = message instanceof HttpRequest;
    if (isBroken
        || (isNext && (connectionHandler.discardsRequests || connectionHandler.isClosing))) {
      isBroken = true; // the rest of the input cannot be trusted
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      require(request);
      unfinished = request;
      isContinueSent = false;
      owesHead = false;
      unanswered++;
      if (!HttpUtil.isKeepAlive(request)) {
        isLast = true;
        announceClose(request);
      }
      connectionHandler.stopWaiting();
      if (connectionHandler.isNew) {
        connectionHandler.isNew = false;
        // No client needs the h2c upgrade, and an upgraded request would not follow HTTP/2's rules.
        stayWithHttp1(request);
      } else if (unanswered == 1 && !isBroken && !isLast && ctx.channel().isWritable()) {
        ready = earlyResponse(ctx.channel(), request);
      }
    }
    if (message instanceof LastHttpContent last) {
      unfinished = null;
      if (ready != null && encoder != null) {
        writeEarly(encoder, ready);
        ready = null;
        ReferenceCountUtil.release(message);
        return;
      }
      rest();
      keepTrailers(last);
      decoder.completed(unanswered);
    }
    if (ready == null) {
      ctx.fireChannelRead(message);
    } else {
      ReferenceCountUtil.release(message); // this request is not dispatched
    }
  }

  /**
   * Passes on bytes of an upgraded connection. Vert.x removes the decoder before it installs the
   * handler that reads these bytes.
   */
  private void passUpgraded(ChannelHandlerContext ctx, Object bytes) {
    if (early != null) {
      early.add(bytes);
    } else if (ctx.pipeline().get("httpEncoder") == null) {
      ctx.fireChannelRead(bytes);
    } else {
      List<Object> waiting = new ArrayList<>(List.of(bytes));
      early = waiting;
      ctx.executor()
          .execute(
              () -> {
                early = null;
                waiting.forEach(ctx::fireChannelRead);
                ctx.fireChannelReadComplete();
              });
    }
  }

  /** Releases the early response of a request that did not end. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    releaseReady();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    releaseReady();
  }

  private void releaseReady() {
    if (ready != null) {
      ready.release();
      ready = null;
    }
  }

  /**
   * If the early responder fails, the request is dispatched, fails in the same way and is reported
   * there.
   */
  private @Nullable ByteBuf earlyResponse(Channel connection, HttpRequest request) {
    EarlyResponder earlyResponder = connectionHandler.earlyResponder();
    if (earlyResponder == null || encoder == null || !Http1Validator.isPlain(request)) {
      return null;
    }
    try {
      return earlyResponder.respond(connection, request);
    } catch (RuntimeException | StackOverflowError e) {
      return null;
    }
  }

  /** Writes a response below the encoder, because it is already encoded. */
  private void writeEarly(ChannelHandlerContext past, ByteBuf whole) {
    past.write(whole);
    owesFlush = true;
    unanswered--;
    rest();
  }

  /** Keeps trailers, which Vert.x drops; but not those of a pipelined request. */
  private void keepTrailers(LastHttpContent last) {
    if (unanswered == 1 && last.decoderResult().isSuccess()) {
      trailers = last.trailingHeaders();
    }
  }

  HttpHeaders trailers() {
    return trailers;
  }

  /** Marks an invalid request as failed; Vert.x responds with 400 and closes the connection. */
  private void require(HttpRequest request) {
    if (request.decoderResult().isSuccess()) {
      Exception fault = Http1Validator.fault(request);
      if (fault != null) {
        request.setDecoderResult(DecoderResult.failure(fault));
      }
    }
    if (request.decoderResult().isFailure()) {
      isBroken = true;
      request.setProtocolVersion(HttpVersion.HTTP_1_1); // the version of the response
    }
  }

  /** Starts the next timeout if every request has been received and has its response. */
  private void rest() {
    if (unanswered == 0 && unfinished == null && connectionHandler.connectionPhase == null) {
      connectionHandler.enterPhase(
          owesHead
              ? ConnectionTimeouts.ConnectionPhase.HEAD
              : ConnectionTimeouts.ConnectionPhase.IDLE);
    }
  }

  /**
   * Normalizes the Connection header of a last request. Vert.x recognizes {@code close} only as the
   * whole value of a line, and in HTTP/1.0 not beside {@code keep-alive}. A client that sends
   * {@code TE, close} would wait for the close in vain.
   */
  private static void announceClose(HttpRequest request) {
    HttpHeaders headers = request.headers();
    List<String> options = headers.getAll(HttpHeaderNames.CONNECTION);
    if (options.isEmpty() || (options.size() == 1 && isClose(options.get(0)))) {
      return;
    }
    headers.remove(HttpHeaderNames.CONNECTION);
    for (String each : options) {
      if (!AsciiString.contentEqualsIgnoreCase(each, HttpHeaderValues.KEEP_ALIVE)) {
        headers.add(CONNECTION, each);
      }
    }
    headers.add(CONNECTION, HttpHeaderValues.CLOSE);
  }

  private static boolean isClose(String option) {
    return AsciiString.contentEqualsIgnoreCase(option, HttpHeaderValues.CLOSE);
  }

  private static void stayWithHttp1(HttpRequest request) {
    if (request.headers().containsValue(HttpHeaderNames.UPGRADE, "h2c", true)) {
      request.headers().remove(HttpHeaderNames.UPGRADE);
    }
  }

  /** Bytes were received and are passed to the decoder. */
  void expect() {
    expectsMore = true;
  }

  /**
   * Starts the head timeout if the received bytes do not complete a head. Not while a response is
   * pending: the rest may have arrived, but nothing reads it before the response is sent.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean isWaiting =
        connectionHandler.connectionPhase == ConnectionTimeouts.ConnectionPhase.HEAD
            || connectionHandler.connectionPhase == ConnectionTimeouts.ConnectionPhase.SILENT;
    if (expectsMore && unfinished == null && !isWaiting) {
      if (unanswered > 0) {
        owesHead = true;
      } else {
        connectionHandler.enterPhase(ConnectionTimeouts.ConnectionPhase.HEAD);
      }
    }
    expectsMore = false;
    if (owesFlush) {
      owesFlush = false;
      ctx.flush();
    }
    ctx.fireChannelReadComplete();
    if (connectionHandler.isClosing) {
      ctx.channel().config().setAutoRead(true); // Vert.x may have paused reading
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean isInterim = false;
    if (message instanceof HttpResponse response) {
      isInterim = response.status().code() < HttpResponseStatus.OK.code();
      if (isInterim) {
        isContinueSent |= response.status().equals(HttpResponseStatus.CONTINUE);
      } else {
        begin(response);
      }
    }
    ctx.write(message, promise);
    if (message instanceof LastHttpContent && !isInterim) {
      unanswered--;
      decoder.answered(ctx, unanswered);
      trailers = EmptyHttpHeaders.INSTANCE;
      rest();
      if (connectionHandler.discardsRequests) {
        connectionHandler.closeGracefully(ctx);
      }
    }
  }

  /** Adds {@code Connection: close} to the last response. */
  private void begin(HttpResponse response) {
    connectionHandler.discardsRequests |= isInDoubt();
    if (connectionHandler.discardsRequests) {
      response.headers().set(CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  /**
   * Whether the next bytes are ambiguous. A client that was not sent 100 (Continue) may still send
   * its body, or may consider the connection free and send the next request.
   */
  private boolean isInDoubt() {
    return unfinished != null
        && unanswered == 1 // else this response belongs to an earlier request
        && !isContinueSent
        && HttpUtil.is100ContinueExpected(unfinished);
  }

  /** Ignores further requests; closes the connection now if no response is pending. */
  void discardFurtherRequests() {
    if (unanswered == 0 && ctx != null) {
      connectionHandler.closeGracefully(ctx);
    }
  }

  /** Flushes before closing, because the caller may have written a response just before. */
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    boolean mayClose =
        (isBroken || connectionHandler.discardsRequests) && ctx.channel().isWritable();
    if (mayClose) {
      connectionHandler.closeGracefully(ctx);
    }
    if (connectionHandler.isClosingGracefully) {
      ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
    } else {
      ctx.flush();
      ctx.close(promise);
    }
  }
}
