package io.weir.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AttributeKey;
import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.logs.RateLimitedLog;
import java.time.Duration;

/**
 * Back pressure for responses that clients do not read.
 *
 * <p>A client that does not read leaves complete responses buffered: in HTTP/1 a few for each
 * connection, in HTTP/2 one for each of a thousand streams. All of them share one memory budget,
 * and each has a timeout. Then the stream is reset; or the connection is closed, if it is not
 * writable. Thread-safe; each response is followed on its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class ResponseBackpressure {
  /* Nearly every response is short and leaves as soon as the event loop flushes: it fits into the
   * window of its stream, and the connection is writable. Checking this costs next to nothing, and
   * only responses that do not fit are counted and watched.
   */

  private static final AttributeKey<ResponseBackpressure> HERE =
      AttributeKey.valueOf(ResponseBackpressure.class, "here");
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.server");

  /** HTTP/2's ENHANCE_YOUR_CALM. */
  private static final long TOO_MUCH = 11;

  /** The approximate memory of a response head and the objects around it. */
  private static final int HEAD = 1024;

  private final MemoryBudget unread;
  private final Duration timeout;

  /** With the budget and the timeout of the gateway. */
  ResponseBackpressure() {
    this(HeapShare.GATEWAY_RESPONSES);
  }

  public ResponseBackpressure(HeapShare share) {
    this(share.kept(), TIMEOUT);
  }

  ResponseBackpressure(MemoryBudget unread, Duration timeout) {
    this.unread = unread;
    this.timeout = timeout;
  }

  /** Counts the responses of this connection here. */
  void count(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      base.channel().attr(HERE).set(this);
      if (base.channelHandlerContext().handler() instanceof Http2ConnectionHandler http2) {
        requireWindows(connection, http2);
      }
    }
  }

  /**
   * Closes the connection if the client shrinks its initial window while responses are buffered. A
   * client could open its windows, send requests, and close the windows again before the responses
   * leave; these would be buffered without being counted. Hardly any honest client shrinks its
   * window.
   */
  private static void requireWindows(HttpConnection connection, Http2ConnectionHandler http2) {
    Http2RemoteFlowController flow = http2.encoder().flowController();
    int[] allowed = {flow.initialWindowSize()};
    connection.remoteSettingsHandler(
        changed -> {
          int now = flow.initialWindowSize();
          if (now < allowed[0] && hasBufferedResponses(http2, flow)) {
            ForceClose.now(connection);
          }
          allowed[0] = now;
        });
  }

  private static boolean hasBufferedResponses(
      Http2ConnectionHandler http2, Http2RemoteFlowController flow) {
    try {
      return http2.connection().forEachActiveStream(stream -> !flow.hasFlowControlled(stream))
          != null;
    } catch (Http2Exception e) {
      return true; // the visitor above never throws
    }
  }

  /**
   * Counts a response, or a part of one, until it has left. Called on its event loop.
   *
   * @param written the result of the write
   * @param bytes its approximate size
   */
  public static void follow(HttpServerRequest request, Future<Void> written, int bytes) {
    if (request.connection() instanceof ConnectionBase base) {
      ChannelHandlerContext context = base.channelHandlerContext();
      if (!flows(context, request.response())) {
        ResponseBackpressure here = context.channel().attr(HERE).get();
        if (here != null) {
          here.watch(new UnreadResponse(here, request, context, written, bytes + HEAD));
        }
      }
    }
  }

  /** Whether written bytes leave without waiting for the client. */
  private static boolean flows(ChannelHandlerContext context, HttpServerResponse response) {
    if (context.handler() instanceof Http2ConnectionHandler http2) {
      Http2Stream stream = http2.connection().stream(response.streamId());
      return stream == null || http2.encoder().flowController().isWritable(stream);
    }
    return context.channel().isWritable();
  }

  private void watch(UnreadResponse unreadResponse) {
    if (unreadResponse.isTaken()) {
      return;
    }
    if (unread.keep(unreadResponse.bytes)) {
      TimeoutSweeper.here().add(unreadResponse);
      unreadResponse.written.onComplete(done -> unreadResponse.endIfTaken());
    } else {
      LOG.log(
          System.Logger.Level.WARNING,
          "too many responses are buffered for clients that do not read; closing one",
          null);
      unreadResponse.abort();
    }
  }

  /** A response that its client has not read yet. */
  private static final class UnreadResponse extends TimeoutSweeper.Watched {
    private final ResponseBackpressure owner;
    private final HttpServerRequest request;
    private final ChannelHandlerContext context;
    private final Future<Void> written;
    private final long bytes;
    private long roundsLeft;
    private boolean isOver;
    private long unsent;

    UnreadResponse(
        ResponseBackpressure owner,
        HttpServerRequest request,
        ChannelHandlerContext context,
        Future<Void> written,
        long bytes) {
      this.owner = owner;
      this.request = request;
      this.context = context;
      this.written = written;
      this.bytes = bytes;
      this.roundsLeft = rounds(owner.timeout.toMillis());
    }

    @Override
    public void look() {
      long left = unsent();
      if (left < unsent) { // the client reads
        roundsLeft = rounds(owner.timeout.toMillis());
      }
      unsent = left;
      if (!endIfTaken() && --roundsLeft == 0) {
        end();
        abort();
      }
    }

    /** The unsent bytes of the connection; 0 for HTTP/2, where streams share a connection. */
    private long unsent() {
      ChannelOutboundBuffer waiting = context.channel().unsafe().outboundBuffer();
      boolean isAlone = !(context.handler() instanceof Http2ConnectionHandler);
      return isAlone && waiting != null ? waiting.totalPendingWriteBytes() : 0;
    }

    private boolean endIfTaken() {
      if (!isOver && isTaken()) {
        end();
      }
      return isOver;
    }

    private void end() {
      isOver = true;
      TimeoutSweeper.here().remove(this);
      owner.unread.release(bytes);
    }

    private boolean isTaken() {
      if (!context.channel().isActive()) {
        return true;
      }
      // No future completes for a head without a body, or for trailers.
      if (context.handler() instanceof Http2ConnectionHandler http2 && request.response().ended()) {
        Http2Stream stream = http2.connection().stream(request.response().streamId());
        return stream == null || !stream.state().localSideOpen();
      }
      return written.isComplete();
    }

    /**
     * Resets the stream through Netty, because Vert.x does not reset a completely written stream.
     */
    private void abort() {
      if (context.handler() instanceof Http2ConnectionHandler http2
          && context.channel().isWritable()) {
        int stream = request.response().streamId();
        http2.encoder().writeRstStream(context, stream, TOO_MUCH, context.newPromise());
        context.flush();
      } else {
        ForceClose.now(request.connection());
      }
    }
  }
}
