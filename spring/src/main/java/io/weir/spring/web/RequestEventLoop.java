package io.weir.spring.web;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;

/**
 * Returns WebFlux requests to their own thread: on Netty, the event loop of their connection.
 *
 * <p>A request that was decided on another thread continues on its event loop, and each request
 * runs as a separate task. Otherwise Reactor Netty (1.2.18, 1.3.7; its issue 4361) may never read
 * from the connection again. If one request ends on another thread, the next one is queued until
 * then. If that request completes while it is dequeued, no more data is requested.
 */
public final class RequestEventLoop {
  private static final boolean HAS_NETTY =
      ClassUtils.isPresent("reactor.netty.Connection", RequestEventLoop.class.getClassLoader());

  private RequestEventLoop() {}

  /** Continues on the request's event loop, since the completing thread must not be blocked. */
  static <T> Mono<T> back(Mono<T> task, ServerHttpRequest request) {
    Executor home = of(request);
    return task.publishOn(home == null ? Schedulers.parallel() : Schedulers.fromExecutor(home));
  }

  /** Runs the work of a request as a separate task. */
  public static <T> Mono<T> asTask(Mono<T> task, ServerHttpRequest request) {
    Executor home = of(request);
    return home == null ? task : task.subscribeOn(Schedulers.fromExecutor(home));
  }

  private static @Nullable Executor of(ServerHttpRequest request) {
    return HAS_NETTY ? Netty.of(request) : null;
  }

  /** A class of its own, loaded only where Netty is present. */
  private static final class Netty {
    static @Nullable Executor of(ServerHttpRequest request) {
      return OriginalRequest.nativeOf(request) instanceof Connection connection
          ? connection.channel().eventLoop()
          : null;
    }
  }
}
