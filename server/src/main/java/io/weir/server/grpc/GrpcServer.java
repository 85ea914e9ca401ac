package io.weir.server.grpc;

import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.TimeSource;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.RequestTrace;
import io.weir.server.http.UnfinishedBodies;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Dispatches gRPC calls to their methods, and passes other requests on. */
public final class GrpcServer implements Handler<HttpServerRequest> {
  /** The most bytes of a message. */
  public static final int MAX_MESSAGE_BYTES = 64 * 1024;

  private static final String GRPC = "application/grpc";
  private static final CharSequence ENCODING = HttpHeaders.createOptimized("grpc-encoding");
  private static final CharSequence TIMEOUT = HttpHeaders.createOptimized("grpc-timeout");

  private final Map<String, GrpcMethod> methods = new HashMap<>();
  private final Set<String> openToAll = new HashSet<>();
  private final UnfinishedBodies unfinished;
  private final Predicate<HttpServerRequest> admits;
  private final Handler<HttpServerRequest> others;
  private long messageTimeoutMillis = 10_000;
  private TimeSource clock = TimeSource.system().steady();
  private @Nullable RequestTrace trace;

  /**
   * A server without methods so far.
   *
   * @param admits checks the token of a call
   * @param others handles requests that are not gRPC
   * @param partialBudget the memory budget of incomplete messages
   */
  public GrpcServer(
      Predicate<HttpServerRequest> admits,
      Handler<HttpServerRequest> others,
      MemoryBudget partialBudget) {
    this(admits, others, new UnfinishedBodies(partialBudget));
  }

  /**
   * A server without methods so far.
   *
   * @param admits checks the token of a call
   * @param others handles requests that are not gRPC
   * @param unfinished the limits of incomplete messages
   */
  public GrpcServer(
      Predicate<HttpServerRequest> admits,
      Handler<HttpServerRequest> others,
      UnfinishedBodies unfinished) {
    this.admits = admits;
    this.others = others;
    this.unfinished = unfinished;
  }

  /** Sets the timeout for a message of a call; ten seconds by default. */
  public GrpcServer messageTimeout(Duration timeout) {
    messageTimeoutMillis = timeout.toMillis();
    return this;
  }

  /** Sets the clock for the deadlines of calls, which must be without steps. */
  public GrpcServer clock(TimeSource steady) {
    clock = steady;
    return this;
  }

  /** Reports the method of each request to {@code by}; null: does not report. */
  public GrpcServer traced(@Nullable RequestTrace by) {
    trace = by;
    return this;
  }

  /** Adds a method named {@code package.Service/Method}. */
  public GrpcServer on(String name, GrpcMethod method) {
    methods.put("/" + name, method);
    return this;
  }

  /** Adds a method that needs no token. */
  public GrpcServer onWithoutToken(String name, GrpcMethod method) {
    openToAll.add("/" + name);
    return on(name, method);
  }

  @Override
  public void handle(HttpServerRequest request) {
    MultiMap headers = request.headers();
    String type = headers.get(HttpHeaders.CONTENT_TYPE);
    if (type == null || !type.startsWith(GRPC)) {
      others.handle(request);
    } else if (!isPlain(type) || request.version() != HttpVersion.HTTP_2) {
      HttpResponses.send(
          request,
          HttpResponses.error(
              415,
              "unsupported_media_type",
              "gRPC is application/grpc over HTTP/2, with protobuf"));
    } else if (request.method() != HttpMethod.POST) {
      HttpResponses.send(request, HttpResponses.error(405, "method_not_allowed", "gRPC is POST"));
    } else {
      call(request, headers);
    }
  }

  /** Whether messages are plain protocol buffers, not another encoding. */
  private static boolean isPlain(String type) {
    return type.length() == GRPC.length()
        || type.charAt(GRPC.length()) == ';'
        || type.equals("application/grpc+proto");
  }

  private void call(HttpServerRequest request, MultiMap headers) {
    String path = request.path();
    GrpcMethod method = methods.get(path);
    try {
      if (!admits.test(request) && !openToAll.contains(path)) {
        throw new GrpcException(GrpcStatus.UNAUTHENTICATED, "the bearer token is missing or wrong");
      }
      if (method == null) {
        throw new GrpcException(GrpcStatus.UNIMPLEMENTED, "there is no method " + path);
      }
      if (trace != null) {
        trace.routed(request, path);
      }
      MessageDeframer messageDeframer =
          new MessageDeframer(MAX_MESSAGE_BYTES, isZipped(request, headers.get(ENCODING)));
      String timeout = headers.get(TIMEOUT);
      new GrpcCall(
              request, messageTimeoutMillis, method, messageDeframer, unfinished, timeout, clock)
          .begin();
    } catch (GrpcException e) {
      GrpcCall.refuse(request, e);
    }
  }

  private static boolean isZipped(HttpServerRequest request, @Nullable String encoding) {
    if (encoding == null || encoding.equals("identity")) {
      return false;
    }
    if (encoding.equals("gzip")) {
      return true;
    }
    request.response().putHeader("grpc-accept-encoding", "identity,gzip");
    throw new GrpcException(
        GrpcStatus.UNIMPLEMENTED, "messages may be compressed by gzip, or not at all");
  }
}
