package io.weir.server.gateway.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server for one request at a time. Confined to its event loop.
 *
 * <p>It returns to the pool only when request and response are complete and all input read with
 * them was processed. Otherwise, bytes that a server sends after a response would become the
 * response to another client.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the connection
public final class Http1Connection extends ChannelInboundHandlerAdapter {
  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");

  private final Http1Pool home;
  private final Channel channel;
  private final ResponseReader reader;
  private @Nullable ResponseListener responseListener;
  private boolean isRequested;
  private boolean isSent;
  private boolean isReceived;
  private boolean isInterim;
  private long keepable;
  private boolean isFlushing;
  private boolean isReading;

  /** The address of the server; set after connecting. */
  @Nullable InetAddress address;

  /** When it expires in the pool, in seconds as counted by {@link Http1Pool}. */
  long keptUntil;

  Http1Connection(Http1Pool home, Channel channel, ResponseReader reader) {
    this.home = home;
    this.channel = channel;
    this.reader = reader;
  }

  // To the server.

  /** Sends a request without a body. */
  public void request(HttpMethod method, String target, HttpHeaders headers, ResponseListener by) {
    begin(method, by);
    isSent = true;
    channel.writeAndFlush(
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            method,
            target,
            Unpooled.EMPTY_BUFFER,
            headers,
            EmptyHttpHeaders.INSTANCE),
        channel.voidPromise());
  }

  /** Sends the head of a request; its body follows. */
  public void open(HttpMethod method, String target, HttpHeaders headers, ResponseListener by) {
    begin(method, by);
    write(new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, target, headers));
  }

  private void begin(HttpMethod method, ResponseListener by) {
    responseListener = by;
    isRequested = true;
    isSent = false;
    isReceived = false;
    reader.expect(method.equals(HttpMethod.HEAD));
  }

  /** Sends a part of the body. */
  public void send(ByteBuf part) {
    write(new DefaultHttpContent(part));
  }

  /** Completes the body. */
  public void end(HttpHeaders trailers) {
    isSent = true;
    channel.writeAndFlush(
        trailers.isEmpty()
            ? LastHttpContent.EMPTY_LAST_CONTENT
            : new DefaultLastHttpContent(Unpooled.EMPTY_BUFFER, trailers),
        channel.voidPromise());
  }

  /** Writes a message; flushes once for all messages written in the same turn of the event loop. */
  private void write(Object message) {
    channel.write(message, channel.voidPromise());
    if (!isFlushing) {
      isFlushing = true;
      channel
          .eventLoop()
          .execute(
              () -> {
                isFlushing = false;
                channel.flush();
              });
    }
  }

  /** Whether the write buffer is full. */
  public boolean isFull() {
    return !channel.isWritable();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    ResponseListener now = responseListener;
    if (now != null && channel.isWritable()) {
      now.context().dispatch(now::hasRoom);
    }
  }

  // From the server.

  /** Pauses reading; bytes that were already read may still be passed on. */
  public void pause() {
    channel.config().setAutoRead(false);
  }

  public void resume() {
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    isReading = true;
    ResponseListener now = responseListener;
    ContextInternal before = now == null ? null : now.context().beginDispatch();
    try {
      read(message);
    } catch (RuntimeException e) {
      fail(e);
    } finally {
      if (now != null) {
        now.context().endDispatch(before);
      }
      ReferenceCountUtil.release(message);
    }
  }

  private void read(Object message) {
    if (message instanceof HttpObject object && object.decoderResult().isFailure()) {
      fail(object.decoderResult().cause());
      return;
    }
    if (message instanceof HttpResponse head) {
      begun(head);
    }
    if (message instanceof HttpContent content) {
      received(content);
    }
  }

  private void begun(HttpResponse head) {
    int status = head.status().code();
    isInterim = status < 200;
    if (!isRequested || isReceived) {
      fail(new IllegalStateException("the server sent a response without a request"));
      return;
    }
    ResponseListener now = responseListener;
    if (status == 101) {
      fail(new IllegalStateException("the server sent 101 without a request to upgrade"));
    } else if (isInterim && now != null) {
      if (status == 100) {
        now.continueReceived();
      } else if (status == 103) {
        now.hintsReceived(head.headers());
      }
    } else if (!isInterim) {
      keepable = HttpUtil.isKeepAlive(head) ? seconds(head.headers()) : 0;
      if (now != null) {
        now.answered(head);
      }
    }
  }

  private void received(HttpContent content) {
    boolean isLast = content instanceof LastHttpContent;
    if (isLast) {
      reader.completed();
    }
    if (isInterim) {
      isInterim = !isLast;
      return;
    }
    ResponseListener now = responseListener;
    if (now != null && content.content().isReadable()) {
      now.received(content.content());
      now = responseListener;
    }
    if (isLast) {
      isReceived = true;
      if (now != null) {
        now.ended(((LastHttpContent) content).trailingHeaders());
      }
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    isReading = false;
    settle();
  }

  // The end.

  /** Detaches the listener; request and response must be complete, or nearly. */
  public void release() {
    responseListener = null;
    if (!isRequested) {
      home.keep(this, Long.MAX_VALUE); // it was never used
    } else if (!isReading) {
      settle();
    }
  }

  /** Returns to the pool if it can be reused, else closes. */
  private void settle() {
    if (responseListener == null && isRequested && isReceived) {
      if (isSent && keepable > 0 && !reader.hasMore() && hasSentAll()) {
        isRequested = false;
        reader.expectNothing();
        channel.config().setAutoRead(true);
        home.keep(this, keepable);
      } else {
        cut();
      }
    }
  }

  /** Whether all was sent; a server may respond early and never read the rest. */
  private boolean hasSentAll() {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    return waiting != null && waiting.totalPendingWriteBytes() == 0;
  }

  /** The server's announced keep-alive time in seconds, minus one for safety. */
  private static long seconds(HttpHeaders headers) {
    String keepAlive = headers.get(KEEP_ALIVE);
    int at = keepAlive == null ? -1 : keepAlive.indexOf("timeout=");
    if (keepAlive == null || at < 0) {
      return Long.MAX_VALUE;
    }
    long seconds = 0;
    for (int i = at + 8; i < keepAlive.length() && seconds < 1_000_000; i++) {
      int digit = Character.digit(keepAlive.charAt(i), 10);
      if (digit < 0) {
        break;
      }
      seconds = seconds * 10 + digit;
    }
    return seconds - 1;
  }

  /** Closes the connection now, without notifying the listener. */
  public void cut() {
    responseListener = null;
    channel.close();
  }

  /** Whether the connection is open, as far as is known. */
  boolean isOpen() {
    return channel.isActive();
  }

  private void fail(Throwable cause) {
    ResponseListener now = responseListener;
    cut();
    if (now != null) {
      now.context().dispatch(() -> now.failed(cause));
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    home.forget(this);
    fail(new IOException("the server has closed the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!isOfWriting(cause) || !channel.isOpen()) {
      fail(cause);
    }
  }

  /**
   * Whether only writing failed. Then the server's response may still be readable; if there is
   * none, the connection closes soon.
   */
  private static boolean isOfWriting(Throwable cause) {
    return cause instanceof ChannelOutputShutdownException
        || cause instanceof ClosedChannelException;
  }
}
