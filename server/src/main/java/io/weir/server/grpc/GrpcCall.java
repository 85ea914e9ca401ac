package io.weir.server.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.TimeSource;
import io.weir.logs.RateLimitedLog;
import io.weir.proto.ProtoWriter;
import io.weir.server.connection.ResponseBackpressure;
import io.weir.server.http.UnfinishedBodies;
import io.weir.server.http.UnfinishedBody;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC call: it receives messages and sends one response, or as many as its method returns.
 *
 * <p>A call belongs to the event loop of its connection. Anything sent after its end is discarded.
 */
public final class GrpcCall implements Handler<Buffer> {
  private static final CharSequence GRPC = HttpHeaders.createOptimized("application/grpc");
  private static final CharSequence STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence MESSAGE = HttpHeaders.createOptimized("grpc-message");
  private static final CharSequence OK = HttpHeaders.createOptimized(GrpcStatus.OK.code());
  private static final long NO_ERROR = 0;
  private static final long FOREVER = -1;
  private static final int MAX_MESSAGES = 10_000;
  private static final RateLimitedLog LOG = new RateLimitedLog("io.weir.server");
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final GrpcMethod method;
  private final MessageDeframer messageDeframer;
  private final UnfinishedBody partialMessage;
  private final TimeSource clock;
  private final long began;
  private final long timeoutNanos;
  private @Nullable ProtoReader message;
  private int taken;
  private boolean isOver;

  GrpcCall(
      HttpServerRequest request,
      long maxMessageMillis,
      GrpcMethod method,
      MessageDeframer messageDeframer,
      UnfinishedBodies unfinished,
      @Nullable String timeout,
      TimeSource clock) {
    this.clock = clock;
    this.request = request;
    this.response = request.response();
    this.method = method;
    this.messageDeframer = messageDeframer;
    this.timeoutNanos = timeout == null ? FOREVER : GrpcTimeout.nanos(timeout);
    this.partialMessage =
        new UnfinishedBody(request, unfinished, messageTimeoutMillis(maxMessageMillis)) {
          @Override
          public void giveUp(AbortReason why) {
            abort(why);
          }
        };
    this.began = timeout == null ? 0 : clock.epochNanos();
  }

  /** The timeout for a message: {@code maxMillis}, or the call's deadline if that is shorter. */
  private long messageTimeoutMillis(long maxMillis) {
    return timeoutNanos == FOREVER ? maxMillis : Math.min(maxMillis, timeoutNanos / 1_000_000);
  }

  void begin() {
    request.handler(this);
    request.endHandler(this::end);
    request.exceptionHandler(this::lost);
    if (method.takes() == GrpcMethod.Takes.ONE) {
      partialMessage.begin();
    }
  }

  /** The HTTP request of the call. */
  public HttpServerRequest request() {
    return request;
  }

  /** Receives more bytes. */
  @Override
  public void handle(Buffer part) {
    if (isOver) {
      return;
    }
    try {
      messageDeframer.add(part);
      takeAll();
    } catch (RuntimeException | StackOverflowError e) { // every call gets a response
      fail(e);
    }
  }

  /**
   * Handles messages for as long as their responses are read. A client that sends without reading
   * would otherwise fill the memory with responses.
   */
  private void takeAll() {
    while (!isOver && !isFull()) {
      ProtoReader next = messageDeframer.next();
      if (next == null) {
        keep();
        return;
      }
      take(next);
    }
    if (!isOver) {
      request.pause();
      response.drainHandler(this::resume);
      keepOpen();
    }
  }

  private boolean isFull() {
    return method.takes() == GrpcMethod.Takes.MANY && response.writeQueueFull();
  }

  private void resume(Void drained) {
    if (isOver) {
      return;
    }
    try {
      partialMessage.end();
      takeAll();
      if (!isFull()) {
        request.resume();
      }
    } catch (RuntimeException | StackOverflowError e) { // every call gets a response
      fail(e);
    }
  }

  private void take(ProtoReader next) {
    if (method.takes() == GrpcMethod.Takes.MANY) {
      if (++taken > MAX_MESSAGES) {
        throw new GrpcException(
            GrpcStatus.RESOURCE_EXHAUSTED, "a call has at most " + MAX_MESSAGES + " messages");
      }
      method.handler().handle(this, next);
    } else if (message == null) {
      message = next;
    } else {
      throw new GrpcException(GrpcStatus.UNIMPLEMENTED, "this method takes one message, not more");
    }
  }

  /**
   * Starts or stops the timeout for the rest of a message. A message that has begun must be
   * completed in time, and so must the request of a call with a single message. A call with many
   * messages may pause between them.
   */
  private void keep() {
    ProtoReader whole = message;
    if (isOver) {
      return;
    }
    if (method.takes() == GrpcMethod.Takes.ONE) {
      partialMessage.keeps(messageDeframer.rest() + (whole == null ? 0 : whole.left()));
    } else if (messageDeframer.rest() == 0) {
      partialMessage.end();
    } else {
      keepOpen();
    }
  }

  private void keepOpen() {
    if (!partialMessage.isOpen()) {
      partialMessage.begin();
    }
    partialMessage.keeps(messageDeframer.rest());
  }

  private void abort(UnfinishedBody.AbortReason why) {
    switch (why) {
      case SLOW ->
          fail(
              GrpcStatus.DEADLINE_EXCEEDED,
              isFull()
                  ? "the responses are not read in time"
                  : "the message did not arrive completely in time");
      case CROWDED ->
          fail(
              GrpcStatus.RESOURCE_EXHAUSTED, "too many incomplete messages are waiting; try again");
      case DISPLACED ->
          fail(
              GrpcStatus.RESOURCE_EXHAUSTED,
              "the client address has too many incomplete messages; try again");
    }
  }

  private void forget() {
    message = null;
    partialMessage.end();
  }

  private void end(Void nothing) {
    partialMessage.end();
    if (isOver) {
      return;
    }
    try {
      if (messageDeframer.rest() > 0) {
        throw new GrpcException(GrpcStatus.INTERNAL, "the last message ends too early");
      }
      if (method.takes() == GrpcMethod.Takes.MANY) {
        finish();
        return;
      }
      ProtoReader only = message;
      message = null;
      messageDeframer.forget(); // the call may stay open for long
      if (only == null) {
        throw new GrpcException(GrpcStatus.UNIMPLEMENTED, "this method takes a message");
      }
      requireInTime();
      method.handler().handle(this, only);
    } catch (RuntimeException | StackOverflowError e) { // every call gets a response
      fail(e);
    }
  }

  private void lost(Throwable cause) {
    isOver = true;
    forget();
  }

  /** Whether the call has ended, or its client no longer waits for a response. */
  public boolean isOver() {
    return isOver || response.closed();
  }

  /** Runs {@code action} when the call ends, in whatever way. */
  public void onOver(Runnable action) {
    response.closeHandler(closed -> action.run());
    response.endHandler(ended -> action.run());
  }

  /**
   * Ends the call if its deadline is over.
   *
   * @throws GrpcException if the deadline is over
   */
  public void requireInTime() {
    if (timeoutNanos != FOREVER && clock.epochNanos() - began >= timeoutNanos) {
      throw new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "the deadline is over");
    }
  }

  /** Sends a message; more may follow. */
  public void send(ProtoWriter payload) {
    if (!isOver()) {
      head();
      Buffer frame = framed(payload);
      ResponseBackpressure.follow(request, response.write(frame), frame.length());
    }
  }

  /** Sends a message, and ends the call. */
  public void respond(ProtoWriter payload) {
    if (isOver()) {
      return;
    }
    isOver = true;
    head();
    response.trailers().set(STATUS, OK);
    // Without response headers, Vert.x would send a length; write and end would send one more
    // frame.
    Buffer frame = framed(payload);
    ResponseBackpressure.follow(request, response.end(frame), frame.length());
  }

  private static Buffer framed(ProtoWriter message) {
    message.prefix();
    Buffer frame = Buffer.buffer(message.length());
    message.writeTo(frame::appendBytes);
    return frame;
  }

  private void head() {
    if (!response.headWritten()) {
      response.headers().set(HttpHeaders.CONTENT_TYPE, GRPC);
      response.writeHead();
    }
  }

  private void finish() {
    isOver = true;
    head();
    response.trailers().set(STATUS, OK);
    ResponseBackpressure.follow(request, response.end(), 0);
  }

  /** Ends the call with a status other than {@link GrpcStatus#OK}. */
  public void fail(GrpcStatus status, String text) {
    if (isOver()) {
      return;
    }
    isOver = true;
    forget();
    fail(request, status, text);
  }

  /** Ends the call with the status for an exception of its handler. */
  public void fail(Throwable cause) {
    if (cause instanceof GrpcException known) {
      fail(known.status(), String.valueOf(known.getMessage()));
    } else {
      LOG.log(System.Logger.Level.ERROR, "a call could not be answered", cause);
      fail(GrpcStatus.INTERNAL, "internal error; it was logged");
    }
  }

  /** Refuses a call before it is created. */
  static void refuse(HttpServerRequest request, GrpcException why) {
    fail(request, why.status(), String.valueOf(why.getMessage()));
  }

  private static void fail(HttpServerRequest request, GrpcStatus status, String text) {
    HttpServerResponse response = request.response();
    boolean hasBegun = response.headWritten();
    MultiMap fields = hasBegun ? response.trailers() : response.headers();
    if (!hasBegun) {
      fields.set(HttpHeaders.CONTENT_TYPE, GRPC);
    }
    fields.set(STATUS, status.code());
    fields.set(MESSAGE, encoded(text));
    boolean isStuck = response.writeQueueFull();
    Future<Void> written = response.end();
    if (isStuck) { // a client that does not read would keep all of it buffered
      dismiss(request);
    } else { // a reset overtakes what is queued, and the status would be lost
      written.onComplete(done -> dismiss(request));
      ResponseBackpressure.follow(request, written, 0);
    }
  }

  /** Asks a client that is still sending to stop. */
  private static void dismiss(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.response().reset(NO_ERROR);
    }
  }

  /** Percent-encodes all bytes except printable ASCII; the percent sign is encoded too. */
  private static String encoded(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (byte b : text.getBytes(UTF_8)) {
      if (b >= ' ' && b <= '~' && b != '%') {
        out.append((char) b);
      } else {
        out.append('%').append(HEX[(b >> 4) & 15]).append(HEX[b & 15]);
      }
    }
    return out.toString();
  }
}
