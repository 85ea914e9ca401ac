package io.weir.server.door;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/** Watches the requests of an HTTP/1 connection come and go, between the codec and Vert.x. */
@SuppressWarnings("FutureReturnValueIgnored") // the promise tells
final class Heads extends ChannelDuplexHandler {
  private final Guest guest;

  /** Whether the head of a request has come, and not its end. */
  private boolean isInBody;

  private boolean isBroken;
  private int unanswered;

  /** Whether bytes were read of which nothing has come out yet. */
  private boolean expectsMore;

  Heads(Guest guest) {
    this.guest = guest;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    expectsMore = false;
    if (isBroken || (guest.hasHeardEnough && message instanceof HttpRequest)) {
      isBroken = true; // what follows may be anything
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest request) {
      require(request);
      isInBody = true;
      unanswered++;
      guest.stopWaiting();
      if (guest.isNew) {
        guest.isNew = false;
        // Nobody needs this way to HTTP/2, whose rules the request then does not follow.
        stayWithHttp1(request);
      }
    }
    if (message instanceof LastHttpContent) {
      isInBody = false;
      rest();
    }
    ctx.fireChannelRead(message);
    if (guest.hasHeardEnough && unanswered == 0 && !isInBody) {
      ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
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
    if (unanswered == 0 && !isInBody && guest.place == null) {
      guest.stand(Lobby.Place.IDLE);
    }
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

  /** If they were not enough for a head, the rest of it is waited for, but not for ever. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    boolean isWaiting = guest.place == Lobby.Place.HEAD || guest.place == Lobby.Place.SILENT;
    if (expectsMore && !isInBody && !isWaiting) {
      guest.stand(Lobby.Place.HEAD);
    }
    expectsMore = false;
    ctx.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof LastHttpContent
        && !(message instanceof HttpResponse response && response.status().code() < 200)) {
      unanswered--;
      rest();
      if (guest.hasHeardEnough && unanswered == 0 && !isInBody) {
        ctx.write(message, promise.unvoid()).addListener(ChannelFutureListener.CLOSE);
        return;
      }
    }
    ctx.write(message, promise);
  }
}
