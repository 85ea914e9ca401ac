package io.weir.server.rls;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.weir.proto.ProtoWriter;
import io.weir.server.grpc.GrpcCall;
import io.weir.server.grpc.GrpcException;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.grpc.GrpcStatus;
import io.weir.server.grpc.ProtoReader;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/** Reports whether the server accepts calls: {@code grpc.health.v1.Health}. */
final class GrpcHealthService {
  private static final int SERVING = 1;
  private static final int NOT_SERVING = 2;
  private static final int SERVICE_UNKNOWN = 3;
  private static final int SERVICE = 1 << 3 | ProtoReader.BYTES;
  private static final int MAX_NAME_BYTES = 256;
  private static final int MAX_WATCHERS = 1000;

  /**
   * The most watches over one connection; a normal client watches once, or once for each service.
   */
  private static final int MAX_OF_ONE = 16;

  /** The whole server, the service, and the name that envoyproxy/ratelimit gives it. */
  private static final Set<String> SERVICES = Set.of("", RateLimitService.NAME, "ratelimit");

  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();

  /** How many watches each connection has. */
  private final Map<HttpConnection, Integer> counts = new ConcurrentHashMap<>();

  private volatile ServingState servingState = ServingState.STARTING;

  private enum ServingState {
    STARTING,
    SERVING,
    DRAINING
  }

  void addTo(GrpcServer server) {
    server.onWithoutToken("grpc.health.v1.Health/Check", GrpcMethod.one(this::check));
    server.onWithoutToken("grpc.health.v1.Health/Watch", GrpcMethod.one(this::watch));
  }

  /** Reports from now on that it serves, to open watches too. */
  void ready() {
    servingState = ServingState.SERVING;
    watchers.forEach(watcher -> watcher.context.runOnContext(now -> watcher.report()));
  }

  /**
   * Reports from now on that it does not serve, and ends the watches, which would otherwise stay
   * open.
   */
  void drain() {
    servingState = ServingState.DRAINING;
    watchers.forEach(watcher -> watcher.context.runOnContext(now -> watcher.dismiss()));
  }

  private int status() {
    return servingState == ServingState.SERVING ? SERVING : NOT_SERVING;
  }

  private void check(GrpcCall call, ProtoReader message) {
    if (!SERVICES.contains(service(message))) {
      throw new GrpcException(GrpcStatus.NOT_FOUND, "there is no such service");
    }
    call.respond(statusMessage(status()));
  }

  /**
   * Watches a service. An unknown name stays unknown, but the protocol requires the call to stay
   * open.
   */
  private void watch(GrpcCall call, ProtoReader message) {
    boolean isKnown = SERVICES.contains(service(message));
    if (watchers.size() >= MAX_WATCHERS) {
      throw new GrpcException(GrpcStatus.RESOURCE_EXHAUSTED, "there are too many watches already");
    }
    HttpConnection connection = call.request().connection();
    if (counts.merge(connection, 1, Integer::sum) > MAX_OF_ONE) {
      leave(connection);
      throw new GrpcException(
          GrpcStatus.RESOURCE_EXHAUSTED, "this connection has too many watches already");
    }
    Watcher watcher = new Watcher(call, Vertx.currentContext(), isKnown, this::status);
    watchers.add(watcher);
    call.onOver(
        () -> {
          if (watchers.remove(watcher)) {
            leave(connection);
          }
        });
    if (servingState != ServingState.DRAINING) {
      watcher.report();
    } else { // a watch added while the others are ended would be missed
      watcher.dismiss();
    }
  }

  private void leave(HttpConnection connection) {
    counts.computeIfPresent(connection, (same, count) -> count == 1 ? null : count - 1);
  }

  private static String service(ProtoReader message) {
    String name = "";
    for (int tag = message.next(); tag != 0; tag = message.next()) {
      if (tag == SERVICE) {
        name = message.text(MAX_NAME_BYTES, "the service");
      } else {
        message.skip(tag);
      }
    }
    return name;
  }

  private static ProtoWriter statusMessage(int status) {
    return new ProtoWriter(16).number(1, status);
  }

  /** A call that watches a service; used on its event loop only. */
  private static final class Watcher {
    private final GrpcCall call;
    private final Context context;
    private final boolean isKnown;
    private final IntSupplier status;
    private int reported;

    Watcher(GrpcCall call, Context context, boolean isKnown, IntSupplier status) {
      this.call = call;
      this.context = context;
      this.isKnown = isKnown;
      this.status = status;
    }

    /** Sends the status if it has changed. */
    void report() {
      int now = isKnown ? status.getAsInt() : SERVICE_UNKNOWN;
      if (now != reported) {
        reported = now;
        call.send(statusMessage(now));
      }
    }

    void dismiss() {
      if (isKnown) {
        call.send(statusMessage(NOT_SERVING));
      }
      call.fail(GrpcStatus.UNAVAILABLE, "this server is about to stop");
    }
  }
}
