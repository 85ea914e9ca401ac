package io.weir.spring;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;

/**
 * Where a request of WebFlux is at home: on Netty, the event loop of its connection.
 *
 * <p>A request that was away goes on there, and each is served by a task of its own. Otherwise
 * Reactor Netty (1.2.18, 1.3.7; its issue 4361) may never read from the connection again: if one
 * request ends on another thread, the next is kept until then, and if that is answered while it is
 * handed over, nobody asks for more.
 */
final class ReactiveHome {
  private static final boolean HAS_NETTY =
      ClassUtils.isPresent("reactor.netty.Connection", ReactiveHome.class.getClassLoader());

  private ReactiveHome() {}

  /** What comes from a thread that must not be kept goes on at home. */
  static <T> Mono<T> back(Mono<T> away, ServerHttpRequest request) {
    Executor home = of(request);
    return away.publishOn(home == null ? Schedulers.parallel() : Schedulers.fromExecutor(home));
  }

  /** What is to be done for a request, as a task of its own. */
  static <T> Mono<T> apart(Mono<T> task, ServerHttpRequest request) {
    Executor home = of(request);
    return home == null ? task : task.subscribeOn(Schedulers.fromExecutor(home));
  }

  private static @Nullable Executor of(ServerHttpRequest request) {
    return HAS_NETTY ? Netty.of(request) : null;
  }

  /** Loaded where there is such a server. */
  private static final class Netty {
    static @Nullable Executor of(ServerHttpRequest request) {
      return Received.nativeOf(request) instanceof Connection connection
          ? connection.channel().eventLoop()
          : null;
    }
  }
}
