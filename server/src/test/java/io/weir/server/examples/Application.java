package io.weir.server.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The upstream behind the proxies. It returns what it received, {@code POST /path 5}, then a line
 * for each header. {@code /status/403} gets that status.
 */
final class Application implements AutoCloseable {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;

  Application() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", Application::echo);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private static void echo(HttpExchange exchange) throws IOException {
    int length = exchange.getRequestBody().readAllBytes().length;
    StringBuilder text = new StringBuilder();
    text.append(exchange.getRequestMethod()).append(' ').append(exchange.getRequestURI());
    text.append(' ').append(length).append('\n');
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) ->
                values.forEach(
                    value ->
                        text.append(name.toLowerCase(Locale.ROOT))
                            .append(": ")
                            .append(value)
                            .append('\n')));
    byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().getPath();
    int status = path.startsWith("/status/") ? Integer.parseInt(path.substring(8)) : 200;
    boolean isHead = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, isHead ? -1 : body.length);
    if (!isHead) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
