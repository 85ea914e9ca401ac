package io.weir.spring;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.netty.http.server.HttpServerRequest;
import reactor.util.context.ContextView;

/**
 * Keeps each request of WebFlux as it was received. Spring may replace its address and its path by
 * what headers say, whoever has sent them: then nobody behind could tell what is true.
 */
final class Received implements HttpHandlerDecoratorFactory {
  private static final boolean HAS_NETTY =
      ClassUtils.isPresent(
          "reactor.netty.http.server.HttpServerRequest", Received.class.getClassLoader());

  @Override
  public HttpHandler apply(HttpHandler next) {
    return (request, response) ->
        next.handle(request, response)
            .contextWrite(context -> context.put(Received.class, request));
  }

  /** The request as it was received, of which {@code now} may be all that is known. */
  static ServerHttpRequest of(ContextView context, ServerHttpRequest now) {
    return context.getOrDefault(Received.class, now);
  }

  /** The other end of the connection. */
  static @Nullable InetSocketAddress peer(ServerHttpRequest received) {
    return HAS_NETTY ? Netty.peer(received) : received.getRemoteAddress();
  }

  /** Loaded where there is such a server. */
  private static final class Netty {
    /** That server replaces the address too, if it is told to. */
    static @Nullable InetSocketAddress peer(ServerHttpRequest received) {
      Object request = ServerHttpRequestDecorator.getNativeRequest(received);
      SocketAddress peer =
          request instanceof HttpServerRequest netty ? netty.connectionRemoteAddress() : null;
      return peer instanceof InetSocketAddress inet ? inet : received.getRemoteAddress();
    }
  }
}
