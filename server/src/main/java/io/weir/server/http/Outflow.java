package io.weir.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AttributeKey;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.logs.RareLog;
import io.weir.server.door.Cut;
import java.time.Duration;

/**
 * What a port has answered, and its clients have not taken.
 *
 * <p>Who asks and does not read leaves whole answers in the memory: in HTTP/1 a few for each
 * connection, in HTTP/2 one for each of a thousand streams. All of them together may take only so
 * much, and each is kept only for so long. Then the stream is reset; or, if it is the connection
 * that takes nothing, that is cut off.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class Outflow {
  /*
   * Nearly every answer is short, and is taken as soon as the event loop has handed on what it has
   * read: it fits into the window of its stream, and the connection has room. That is asked of each
   * answer and costs next to nothing; only what does not fit is counted and watched.
   */

  private static final AttributeKey<Outflow> HERE = AttributeKey.valueOf(Outflow.class, "here");
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final RareLog LOG = new RareLog("io.weir.server");

  /** Of HTTP/2: ENHANCE_YOUR_CALM. */
  private static final long TOO_MUCH = 11;

  /** About what the head of an answer takes, and the objects around it. */
  private static final int HEAD = 1024;

  private final KeptBytes untaken;
  private final Duration patience;

  /** As the gateway has it. */
  Outflow() {
    this(HeapShare.GATEWAY_RESPONSES);
  }

  Outflow(HeapShare share) {
    this(share.kept(), PATIENCE);
  }

  Outflow(KeptBytes untaken, Duration patience) {
    this.untaken = untaken;
    this.patience = patience;
  }

  /** What is answered to this connection counts here. */
  void count(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      base.channel().attr(HERE).set(this);
      if (base.channelHandlerContext().handler() instanceof Http2ConnectionHandler http2) {
        requireWindows(connection, http2);
      }
    }
  }

  /**
   * Who opens its windows, asks, and closes them before the answers have gone, would have them kept
   * where they were not seen to stay. Hardly any client takes back what it has allowed.
   */
  private static void requireWindows(HttpConnection connection, Http2ConnectionHandler http2) {
    Http2RemoteFlowController flow = http2.encoder().flowController();
    int[] allowed = {flow.initialWindowSize()};
    connection.remoteSettingsHandler(
        changed -> {
          int now = flow.initialWindowSize();
          if (now < allowed[0] && keepsAnswers(http2, flow)) {
            Cut.now(connection);
          }
          allowed[0] = now;
        });
  }

  private static boolean keepsAnswers(
      Http2ConnectionHandler http2, Http2RemoteFlowController flow) {
    try {
      return http2.connection().forEachActiveStream(stream -> !flow.hasFlowControlled(stream))
          != null;
    } catch (Http2Exception e) {
      return true; // nobody throws that
    }
  }

  /**
   * Follows an answer, or a part of one, until it is taken. On its event loop.
   *
   * @param written what Vert.x told when it was written
   * @param bytes how many it has, or about as many
   */
  public static void follow(HttpServerRequest request, Future<Void> written, int bytes) {
    if (request.connection() instanceof ConnectionBase base) {
      ChannelHandlerContext context = base.channelHandlerContext();
      if (!flows(context, request.response())) {
        Outflow here = context.channel().attr(HERE).get();
        if (here != null) {
          here.watch(new Untaken(here, request, context, written, bytes + HEAD));
        }
      }
    }
  }

  /**
   * Does {@code work} for a request; not before its client has taken the answers to the last ones.
   * In HTTP/1 nothing else stops who sends one request after the other: the next is handled when
   * this is answered.
   *
   * @param bytes how many are kept meanwhile
   */
  public static void whenRoom(HttpServerRequest request, int bytes, Runnable work) {
    boolean isFull =
        request.version() != HttpVersion.HTTP_2
            && request.connection() instanceof ConnectionBase base
            && !base.channel().isWritable();
    if (!isFull) {
      work.run();
      return;
    }
    Promise<Void> room = Promise.promise();
    follow(request, room.future(), bytes);
    request
        .response()
        .drainHandler(
            drained -> {
              if (room.tryComplete()) {
                Replies.orFailure(request, work, then -> whenRoom(request, bytes, then));
              }
            });
  }

  /** Whether what was written goes out without any doing of the client. */
  private static boolean flows(ChannelHandlerContext context, HttpServerResponse response) {
    if (context.handler() instanceof Http2ConnectionHandler http2) {
      Http2Stream stream = http2.connection().stream(response.streamId());
      return stream == null || http2.encoder().flowController().isWritable(stream);
    }
    return context.channel().isWritable();
  }

  private void watch(Untaken answer) {
    if (answer.isTaken()) {
      return;
    }
    if (untaken.keep(answer.bytes)) {
      Lookout.here().add(answer);
      answer.written.onComplete(done -> answer.endIfTaken());
    } else {
      LOG.log(
          System.Logger.Level.WARNING, "too many answers wait for clients that do not read", null);
      answer.dismiss();
    }
  }

  /** An answer that waits. */
  private static final class Untaken extends Lookout.Watched {
    private final Outflow home;
    private final HttpServerRequest request;
    private final ChannelHandlerContext context;
    private final Future<Void> written;
    private final long bytes;
    private long roundsLeft;
    private boolean isOver;
    private long unsent;

    Untaken(
        Outflow home,
        HttpServerRequest request,
        ChannelHandlerContext context,
        Future<Void> written,
        long bytes) {
      this.home = home;
      this.request = request;
      this.context = context;
      this.written = written;
      this.bytes = bytes;
      this.roundsLeft = rounds(home.patience.toMillis());
    }

    @Override
    protected void look(long nanos) {
      long left = unsent();
      if (left < unsent) { // it takes some of it
        roundsLeft = rounds(home.patience.toMillis());
      }
      unsent = left;
      if (!endIfTaken() && --roundsLeft == 0) {
        end();
        dismiss();
      }
    }

    /** What waits below; of HTTP/2 that may be anybody's. */
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
      Lookout.here().remove(this);
      home.untaken.release(bytes);
    }

    private boolean isTaken() {
      if (!context.channel().isActive()) {
        return true;
      }
      // A head without a body, and trailers, are told of by no future.
      if (context.handler() instanceof Http2ConnectionHandler http2 && request.response().ended()) {
        Http2Stream stream = http2.connection().stream(request.response().streamId());
        return stream == null || !stream.state().localSideOpen();
      }
      return written.isComplete();
    }

    /** Vert.x itself resets no stream that it has written to the end. */
    private void dismiss() {
      if (context.handler() instanceof Http2ConnectionHandler http2
          && context.channel().isWritable()) {
        int stream = request.response().streamId();
        http2.encoder().writeRstStream(context, stream, TOO_MUCH, context.newPromise());
        context.flush();
      } else {
        Cut.now(request.connection());
      }
    }
  }
}
