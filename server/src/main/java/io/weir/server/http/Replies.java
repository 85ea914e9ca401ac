package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.StoreUnavailableException;
import io.weir.logs.RareLog;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.http.Json;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.door.Door;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Sends answers. */
public final class Replies {
  private static final RareLog LOG = new RareLog("io.weir.server");

  private static final List<Header> JSON =
      List.of(
          new Header("Content-Type", "application/json"), new Header("Cache-Control", "no-store"));

  private Replies() {}

  /** {@code {"error":…,"message":…}} */
  public static Answer error(int status, String error, String message) {
    return json(
        status, new Json().open().text("error", error).text("message", message).close().toString());
  }

  /** JSON that nobody keeps. */
  public static Answer json(int status, String body) {
    return new Answer(status, JSON, body);
  }

  /** {@link #json(int, String)} with more headers. */
  public static Answer json(int status, List<Header> more, String body) {
    List<Header> headers = new ArrayList<>(JSON.size() + more.size());
    headers.addAll(JSON);
    headers.addAll(more);
    return new Answer(status, headers, body);
  }

  /** Hands {@code found} on; if that throws, it is the answer. */
  static <T> void orFailure(HttpServerRequest request, T found, Consumer<T> then) {
    try {
      then.accept(found);
    } catch (RuntimeException | Error e) { // the last resort: nobody is left waiting
      sendFailure(request, e);
    }
  }

  /**
   * Answers a request that came to nothing: 400, 408 or 413 if that is the caller's doing, else
   * 500, which is logged, a line a minute at most. Where the caller has gone, nothing is to be
   * done.
   *
   * @return the status of the answer
   */
  public static int sendFailure(HttpServerRequest request, Throwable thrown) {
    Throwable failure = Later.cause(thrown);
    Answer answer;
    if (failure instanceof MalformedRequestException malformed) {
      answer = malformed(request, reason(malformed));
      send(request, answer);
    } else if (failure instanceof Bodies.TooLarge tooLarge) {
      answer = error(413, "content_too_large", reason(tooLarge));
      sendLast(request, answer, List.of());
    } else if (failure instanceof Bodies.TooSlow tooSlow) {
      answer = error(408, "request_timeout", reason(tooSlow));
      sendLast(request, answer, List.of());
    } else if (failure instanceof Bodies.TooMany tooMany) {
      answer = soon(error(503, "too_many_bodies", reason(tooMany)));
      sendLast(request, answer, List.of());
    } else if (failure instanceof StoreUnavailableException unavailable) {
      answer = unavailable(unavailable.isInDoubt());
      send(request, answer);
    } else {
      answer = error(500, "internal_error", "something went wrong here; it was logged");
      if (!request.response().closed()) {
        LOG.log(System.Logger.Level.ERROR, "a request could not be answered", failure);
        send(request, answer);
      }
    }
    return answer.status();
  }

  /**
   * Answers a request that could mean two things. In HTTP/1 the connection ends with it: where one
   * thing is unclear, what follows may be so too.
   */
  public static void sendMalformed(HttpServerRequest request, MalformedRequestException e) {
    sendLast(request, malformed(request, reason(e)), List.of());
  }

  /** Who is told that it is unknown is not asked to come again: it may be done by then twice. */
  private static Answer unavailable(boolean isInDoubt) {
    return isInDoubt
        ? error(
            503,
            "store_unavailable",
            "the store has not answered: it is unknown whether this was done; do not repeat it")
        : soon(error(503, "store_unavailable", "the store cannot be asked now; repeat it later"));
  }

  /** An answer to one who may come again. */
  public static Answer soon(Answer answer) {
    List<Header> headers = new ArrayList<>(answer.headers());
    headers.add(new Header("Retry-After", "1"));
    return new Answer(answer.status(), headers, answer.body());
  }

  /** What a request gets that makes no sense, in the form that it asks for. */
  public static Answer malformed(HttpServerRequest request, String message) {
    return Answers.badRequest(message, request.getHeader(HttpHeaders.ACCEPT));
  }

  /**
   * Answers, and ends the connection: nobody wants the rest of the body. How it ends, the door
   * says, so that a client that is still sending hears the answer. Of HTTP/2 it is only the stream
   * that ends.
   */
  public static void sendLast(HttpServerRequest request, Answer answer, List<Header> more) {
    if (request.version() == HttpVersion.HTTP_2) {
      send(request, answer, more);
    } else {
      Door.hearNoMore(request.connection());
      deliver(request, answer, more);
    }
  }

  private static String reason(RuntimeException e) {
    return e.getMessage() == null ? "the request cannot be understood" : e.getMessage();
  }

  /** Sends an answer. */
  public static void send(HttpServerRequest request, Answer answer) {
    send(request, answer, List.of());
  }

  /**
   * Sends an answer with more headers than its own; nothing if one was begun already, or the caller
   * has gone. What is still to come of the request is discarded.
   */
  public static void send(HttpServerRequest request, Answer answer, List<Header> more) {
    deliver(request, answer, more);
    Leftovers.discard(request);
  }

  private static void deliver(HttpServerRequest request, Answer answer, List<Header> more) {
    if (isOpen(request.response())) {
      Outflow.whenRoom(request, answer.body().length(), () -> write(request, answer, more));
    }
  }

  private static boolean isOpen(HttpServerResponse response) {
    return !response.headWritten() && !response.ended() && !response.closed();
  }

  private static void write(HttpServerRequest request, Answer answer, List<Header> more) {
    HttpServerResponse response = request.response();
    if (!isOpen(response)) {
      return;
    }
    response.setStatusCode(answer.status());
    put(response.headers(), answer.headers());
    put(response.headers(), more);
    if (request.method().equals(HttpMethod.HEAD)) { // HTTP/2 would send the body
      int length = answer.body().getBytes(UTF_8).length;
      Outflow.follow(
          request, response.putHeader("Content-Length", Integer.toString(length)).end(), 0);
    } else {
      Outflow.follow(request, response.end(answer.body()), answer.body().length());
    }
  }

  /** Sends bytes as they are, such as a file. */
  public static void send(
      HttpServerRequest request, int status, List<Header> headers, Buffer body) {
    if (isOpen(request.response())) {
      Outflow.whenRoom(request, body.length(), () -> write(request, status, headers, body));
    }
    Leftovers.discard(request);
  }

  private static void write(
      HttpServerRequest request, int status, List<Header> headers, Buffer body) {
    HttpServerResponse response = request.response();
    if (!isOpen(response)) {
      return;
    }
    put(response.setStatusCode(status).headers(), headers);
    boolean isHead = request.method().equals(HttpMethod.HEAD);
    if (isHead && status != 304) {
      response.putHeader("Content-Length", Integer.toString(body.length()));
    }
    boolean isBare = isHead || status == 304;
    Future<Void> written = isBare ? response.end() : response.end(body);
    Outflow.follow(request, written, isBare ? 0 : body.length());
  }

  private static void put(MultiMap into, List<Header> headers) {
    for (int i = 0; i < headers.size(); i++) {
      into.add(HeaderNames.prepared(headers.get(i).name()), headers.get(i).value());
    }
  }
}
