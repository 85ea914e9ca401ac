package io.weir.server.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.logs.RareLog;
import io.weir.server.http.KeptBytes;
import io.weir.server.http.Outflow;
import io.weir.server.http.Unfinished;
import org.jspecify.annotations.Nullable;

/**
 * One call: its messages come in, and are answered once, or as often as its method likes.
 *
 * <p>A call belongs to the event loop that it came on. What is sent to one that is over goes
 * nowhere.
 */
public final class GrpcCall implements Handler<Buffer> {
  private static final CharSequence GRPC = HttpHeaders.createOptimized("application/grpc");
  private static final CharSequence STATUS = HttpHeaders.createOptimized("grpc-status");
  private static final CharSequence MESSAGE = HttpHeaders.createOptimized("grpc-message");
  private static final CharSequence OK = HttpHeaders.createOptimized(GrpcStatus.OK.code());
  private static final long NO_ERROR = 0;
  private static final long FOREVER = -1;
  private static final int MOST_MESSAGES = 10_000;
  private static final RareLog LOG = new RareLog("io.weir.server");
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final GrpcMethod method;
  private final Frames frames;
  private final Unfinished unfinished;
  private final long began;
  private final long patience;
  private @Nullable ProtoReader message;
  private int taken;
  private boolean isOver;

  GrpcCall(
      HttpServerRequest request,
      long longestPatience,
      GrpcMethod method,
      Frames frames,
      KeptBytes halfSent,
      @Nullable String timeout) {
    this.request = request;
    this.response = request.response();
    this.method = method;
    this.frames = frames;
    this.patience = timeout == null ? FOREVER : Timeout.nanos(timeout);
    this.unfinished =
        new Unfinished(halfSent, patienceMillis(longestPatience)) {
          @Override
          protected void giveUp(Trouble why) {
            tellTooLate(why);
          }
        };
    this.began = timeout == null ? 0 : System.nanoTime();
  }

  /** Nobody waits longer for a message than its sender waits for the answer. */
  private long patienceMillis(long longest) {
    return patience == FOREVER ? longest : Math.min(longest, patience / 1_000_000);
  }

  void begin() {
    request.handler(this);
    request.endHandler(this::end);
    request.exceptionHandler(this::lost);
    if (method.takes() == GrpcMethod.Takes.ONE) {
      unfinished.begin();
    }
  }

  /** The request that the call came by. */
  public HttpServerRequest request() {
    return request;
  }

  /** More bytes have come. */
  @Override
  public void handle(Buffer part) {
    if (isOver) {
      return;
    }
    try {
      frames.add(part);
      takeAll();
    } catch (RuntimeException | StackOverflowError e) { // nobody is left waiting
      fail(e);
    }
  }

  /**
   * Takes messages for as long as their answers are read. Somebody who asks on and on and reads
   * nothing would otherwise fill the memory with answers.
   */
  private void takeAll() {
    while (!isOver && !isFull()) {
      ProtoReader next = frames.next();
      if (next == null) {
        keep();
        return;
      }
      take(next);
    }
    if (!isOver) {
      request.pause();
      response.drainHandler(this::goOn);
      keepOpen();
    }
  }

  private boolean isFull() {
    return method.takes() == GrpcMethod.Takes.MANY && response.writeQueueFull();
  }

  private void goOn(Void drained) {
    if (isOver) {
      return;
    }
    try {
      unfinished.end();
      takeAll();
      if (!isFull()) {
        request.resume();
      }
    } catch (RuntimeException | StackOverflowError e) { // nobody is left waiting
      fail(e);
    }
  }

  private void take(ProtoReader next) {
    if (method.takes() == GrpcMethod.Takes.MANY) {
      if (++taken > MOST_MESSAGES) {
        throw new GrpcException(
            GrpcStatus.RESOURCE_EXHAUSTED, "a call has at most " + MOST_MESSAGES + " messages");
      }
      method.answer().to(this, next);
    } else if (message == null) {
      message = next;
    } else {
      throw new GrpcException(GrpcStatus.UNIMPLEMENTED, "this method takes one message, not more");
    }
  }

  /**
   * Whoever begins a message has to end it, and a call of one message has to end with it. Between
   * the messages of a call that brings many, time may pass.
   */
  private void keep() {
    ProtoReader whole = message;
    if (isOver) {
      return;
    }
    if (method.takes() == GrpcMethod.Takes.ONE) {
      unfinished.keeps(frames.rest() + (whole == null ? 0 : whole.left()));
    } else if (frames.rest() == 0) {
      unfinished.end();
    } else {
      keepOpen();
    }
  }

  private void keepOpen() {
    if (!unfinished.isOpen()) {
      unfinished.begin();
    }
    unfinished.keeps(frames.rest());
  }

  private void tellTooLate(Unfinished.Trouble why) {
    switch (why) {
      case SLOW ->
          fail(
              GrpcStatus.DEADLINE_EXCEEDED,
              isFull()
                  ? "the answers are not read in time"
                  : "the message did not come whole in time");
      case CROWDED ->
          fail(GrpcStatus.RESOURCE_EXHAUSTED, "too many messages have come by halves; try again");
    }
  }

  private void forget() {
    message = null;
    unfinished.end();
  }

  private void end(Void nothing) {
    unfinished.end();
    if (isOver) {
      return;
    }
    try {
      if (frames.rest() > 0) {
        throw new GrpcException(GrpcStatus.INTERNAL, "the last message ends too early");
      }
      if (method.takes() == GrpcMethod.Takes.MANY) {
        finish();
        return;
      }
      ProtoReader only = message;
      message = null;
      frames.forget(); // the call may stay open for long
      if (only == null) {
        throw new GrpcException(GrpcStatus.UNIMPLEMENTED, "this method takes a message");
      }
      requireInTime();
      method.answer().to(this, only);
    } catch (RuntimeException | StackOverflowError e) { // nobody is left waiting
      fail(e);
    }
  }

  private void lost(Throwable cause) {
    isOver = true;
    forget();
  }

  /** Whether nobody waits for an answer any more, or one was given. */
  public boolean isOver() {
    return isOver || response.closed();
  }

  /** Does something when the call is over, however it ended. */
  public void onOver(Runnable action) {
    response.closeHandler(closed -> action.run());
    response.endHandler(ended -> action.run());
  }

  /**
   * Ends the call if its caller has stopped waiting.
   *
   * @throws GrpcException if the deadline is over
   */
  public void requireInTime() {
    if (patience != FOREVER && System.nanoTime() - began >= patience) {
      throw new GrpcException(GrpcStatus.DEADLINE_EXCEEDED, "the deadline is over");
    }
  }

  /** Sends a message; more may follow. */
  public void send(ProtoWriter answer) {
    if (!isOver()) {
      head();
      Buffer frame = answer.toFrame();
      Outflow.follow(request, response.write(frame), frame.length());
    }
  }

  /** Sends a message, and ends the call. */
  public void answer(ProtoWriter answer) {
    if (isOver()) {
      return;
    }
    isOver = true;
    head();
    response.trailers().set(STATUS, OK);
    // Without a head of its own Vert.x would send a length; write and end would send a frame more.
    Buffer frame = answer.toFrame();
    Outflow.follow(request, response.end(frame), frame.length());
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
    Outflow.follow(request, response.end(), 0);
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

  /** Ends the call by what was thrown while it was answered. */
  public void fail(Throwable cause) {
    if (cause instanceof GrpcException known) {
      fail(known.status(), String.valueOf(known.getMessage()));
    } else {
      LOG.log(System.Logger.Level.ERROR, "a call could not be answered", cause);
      fail(GrpcStatus.INTERNAL, "something went wrong here; it was logged");
    }
  }

  /** Ends a call that has not begun. */
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
    if (isStuck) { // who does not read would keep all of it waiting
      dismiss(request);
    } else { // a reset overtakes what waits, and the status would be lost
      written.onComplete(done -> dismiss(request));
      Outflow.follow(request, written, 0);
    }
  }

  /** Whoever still sends need not. */
  private static void dismiss(HttpServerRequest request) {
    if (!request.isEnded()) {
      request.response().reset(NO_ERROR);
    }
  }

  /** Printable ASCII but for the percent sign; the bytes of everything else are written in hex. */
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
