package io.weir.spring.web;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.netty.http.server.HttpServerRequest;
import reactor.util.context.ContextView;

/**
 * Keeps each WebFlux request as it was received. Spring and Netty may replace its address and path
 * by values from headers of any client, and the originals would be lost.
 */
public final class OriginalRequest implements HttpHandlerDecoratorFactory {
  private static final boolean HAS_NETTY =
      ClassUtils.isPresent(
          "reactor.netty.http.server.HttpServerRequest", OriginalRequest.class.getClassLoader());

  @Override
  public HttpHandler apply(HttpHandler next) {
    return (request, response) ->
        next.handle(request, response)
            .contextWrite(context -> context.put(OriginalRequest.class, request));
  }

  /** The request as received, or {@code now} if that was not kept. */
  static ServerHttpRequest of(ContextView context, ServerHttpRequest now) {
    return context.getOrDefault(OriginalRequest.class, now);
  }

  /** The request of the underlying server; null if there is none, as in tests. */
  static @Nullable Object nativeOf(ServerHttpRequest request) {
    try {
      return ServerHttpRequestDecorator.getNativeRequest(request);
    } catch (IllegalStateException | IllegalArgumentException e) {
      return null;
    }
  }

  /** The peer address of the connection. */
  static @Nullable public InetSocketAddress peer(ServerHttpRequest received) {
    return HAS_NETTY ? Netty.peer(received) : received.getRemoteAddress();
  }

  /** Path and query as they were sent. */
  public static String target(ServerHttpRequest received) {
    String sent = HAS_NETTY ? Netty.target(received) : null;
    URI uri = received.getURI();
    if (sent != null && sent.startsWith("/")) {
      return sent;
    }
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    return uri.getRawQuery() == null ? path : path + '?' + uri.getRawQuery();
  }

  /** A class of its own, loaded only where Netty is present. */
  private static final class Netty {
    /** Reads the connection, since Netty may be configured to replace the address. */
    static @Nullable InetSocketAddress peer(ServerHttpRequest received) {
      SocketAddress peer =
          nativeOf(received) instanceof HttpServerRequest netty
              ? netty.connectionRemoteAddress()
              : null;
      return peer instanceof InetSocketAddress inet ? inet : received.getRemoteAddress();
    }

    /** The target before Netty may add a prefix, without scheme and host. */
    static @Nullable String target(ServerHttpRequest received) {
      if (!(nativeOf(received) instanceof HttpServerRequest netty)) {
        return null;
      }
      String sent = netty.uri();
      int scheme = sent.indexOf("://");
      if (sent.startsWith("/") || scheme < 0) {
        return sent;
      }
      int path = sent.indexOf('/', scheme + 3);
      return path < 0 ? "/" : sent.substring(path);
    }
  }
}
