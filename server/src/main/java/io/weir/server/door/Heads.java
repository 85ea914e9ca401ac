package io.weir.server.door;

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

/** Watches the requests of an HTTP/1 connection come and go, between the codec and Vert.x. */
@SuppressWarnings("FutureReturnValueIgnored") // the promise tells
final class Heads extends ChannelDuplexHandler {
  private static final AsciiString CONNECTION = AsciiString.cached("Connection");

  private final Guest guest;
  private final RequestDecoder decoder;

  /** What came behind a request for a WebSocket, until what reads it is in its place. */
  private @Nullable List<Object> early;

  /** The request whose head has come, and not its end. */
  private @Nullable HttpRequest unfinished;

  /** Whether its client was told to send the body that it has kept back. */
  private boolean isToldToGoOn;

  private boolean isBroken;

  /** Whether nothing is answered behind the request: its client wants the connection closed. */
  private boolean isLast;

  private int unanswered;

  /** What the request under way has said behind its body. */
  private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;

  /** Whether bytes were read of which nothing has come out yet. */
  private boolean expectsMore;

  /** Whether the next head was begun while an answer was due: its time begins after that. */
  private boolean owesHead;

  private @Nullable ChannelHandlerContext ctx;
  private @Nullable ChannelHandlerContext encoder;

  /** What the porter answers to the request whose head has come. */
  private @Nullable ByteBuf ready;

  /** Whether the porter has answered, and that was not sent. */
  private boolean owesFlush;

  Heads(Guest guest, RequestDecoder decoder) {
    this.guest = guest;
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
      handOver(ctx, message);
      return;
    }
    expectsMore = false;
    boolean isNext = message instanceof HttpRequest;
    if (isBroken || (isNext && (guest.hasHeardEnough || guest.isLeaving))) {
      isBroken = true; // what follows may be anything
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      require(request);
      unfinished = request;
      isToldToGoOn = false;
      owesHead = false;
      unanswered++;
      if (!HttpUtil.isKeepAlive(request)) {
        isLast = true;
        announceClose(request);
      }
      guest.stopWaiting();
      if (guest.isNew) {
        guest.isNew = false;
        // Nobody needs this way to HTTP/2, whose rules the request then does not follow.
        stayWithHttp1(request);
      } else if (unanswered == 1 && !isBroken && !isLast && ctx.channel().isWritable()) {
        ready = answerOfPorter(ctx.channel(), request);
      }
    }
    if (message instanceof LastHttpContent last) {
      unfinished = null;
      if (ready != null && encoder != null) {
        answer(encoder, ready);
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
      ReferenceCountUtil.release(message); // nobody inside knows of this request
    }
  }

  /**
   * Hands on bytes of a connection that is HTTP no more. The decoder goes before Vert.x puts in its
   * place what reads them.
   */
  private void handOver(ChannelHandlerContext ctx, Object bytes) {
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

  /** A request may never come to its end. */
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

  /** If the porter fails, somebody inside meets the same and says so. */
  private @Nullable ByteBuf answerOfPorter(Channel connection, HttpRequest request) {
    Porter porter = guest.porter();
    if (porter == null || encoder == null || !Grammar.isPlain(request)) {
      return null;
    }
    try {
      return porter.answer(connection, request);
    } catch (RuntimeException | StackOverflowError e) {
      return null;
    }
  }

  /** Past the encoder: there is nothing left to encode. */
  private void answer(ChannelHandlerContext past, ByteBuf whole) {
    past.write(whole);
    owesFlush = true;
    unanswered--;
    rest();
  }

  /** Vert.x drops them. Those of a request that waits behind another are not kept. */
  private void keepTrailers(LastHttpContent last) {
    if (unanswered == 1 && last.decoderResult().isSuccess()) {
      trailers = last.trailingHeaders();
    }
  }

  HttpHeaders trailers() {
    return trailers;
  }

  /** Vert.x answers what could not be decoded by 400, and hangs up. */
  private void require(HttpRequest request) {
    if (request.decoderResult().isSuccess()) {
      Exception fault = Grammar.fault(request);
      if (fault != null) {
        request.setDecoderResult(DecoderResult.failure(fault));
      }
    }
    if (request.decoderResult().isFailure()) {
      isBroken = true;
      request.setProtocolVersion(HttpVersion.HTTP_1_1); // as which it is answered
    }
  }

  /** Everything was said and answered. */
  private void rest() {
    if (unanswered == 0 && unfinished == null && guest.place == null) {
      guest.stand(owesHead ? Lobby.Place.HEAD : Lobby.Place.IDLE);
    }
  }

  /**
   * Vert.x finds {@code close} only where it is all that a line says, and in HTTP/1.0 not beside
   * {@code keep-alive}: a client that says {@code TE, close} would wait for the end in vain.
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

  /** Bytes have come, and go through the decoder. */
  void expect() {
    expectsMore = true;
  }

  /**
   * If they were not enough for a head, the rest of it is waited for, but not for ever. While an
   * answer is due it is not: the rest may be there, and nobody here reads it before.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean isWaiting = guest.place == Lobby.Place.HEAD || guest.place == Lobby.Place.SILENT;
    if (expectsMore && unfinished == null && !isWaiting) {
      if (unanswered > 0) {
        owesHead = true;
      } else {
        guest.stand(Lobby.Place.HEAD);
      }
    }
    expectsMore = false;
    if (owesFlush) {
      owesFlush = false;
      ctx.flush();
    }
    ctx.fireChannelReadComplete();
    if (guest.isLeaving) {
      ctx.channel().config().setAutoRead(true); // Vert.x may have had enough
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    boolean isInterim = false;
    if (message instanceof HttpResponse answer) {
      isInterim = answer.status().code() < HttpResponseStatus.OK.code();
      if (isInterim) {
        isToldToGoOn |= answer.status().equals(HttpResponseStatus.CONTINUE);
      } else {
        begin(answer);
      }
    }
    ctx.write(message, promise);
    if (message instanceof LastHttpContent && !isInterim) {
      unanswered--;
      decoder.answered(ctx, unanswered);
      trailers = EmptyHttpHeaders.INSTANCE;
      rest();
      if (guest.hasHeardEnough) {
        guest.sayGoodbye(ctx);
      }
    }
  }

  /** Says so if it is the last one. */
  private void begin(HttpResponse answer) {
    guest.hasHeardEnough |= isInDoubt();
    if (guest.hasHeardEnough) {
      answer.headers().set(CONNECTION, HttpHeaderValues.CLOSE);
    }
  }

  /**
   * Whether nobody knows what comes next: a client that was not told to go on may send its body, or
   * take the connection for free and send a request.
   */
  private boolean isInDoubt() {
    return unfinished != null
        && unanswered == 1 // else this is the answer to an earlier one
        && !isToldToGoOn
        && HttpUtil.is100ContinueExpected(unfinished);
  }

  /** No further request is answered; if the last one was already, that is the end. */
  void hearNoMore() {
    if (unanswered == 0 && ctx != null) {
      guest.sayGoodbye(ctx);
    }
  }

  /** Not before what was written is sent: who closes may have written the answer just now. */
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    boolean isUnheard = (isBroken || guest.hasHeardEnough) && ctx.channel().isWritable();
    if (isUnheard) {
      guest.sayGoodbye(ctx);
    }
    if (guest.isSayingGoodbye) {
      ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
    } else {
      ctx.flush();
      ctx.close(promise);
    }
  }
}
