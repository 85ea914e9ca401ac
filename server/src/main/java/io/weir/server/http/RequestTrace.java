package io.weir.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Follows requests through several programs: what ports report of those under way. Called on the
 * event loop of the request; must not block.
 */
public interface RequestTrace {
  /**
   * A request goes by a route.
   *
   * @param route of which there are few: a path of the API, or of the settings
   */
  void routed(HttpServerRequest request, String route);

  /** The trace that a request belongs to, as 32 hexadecimal digits; null: none. */
  @Nullable String id(HttpServerRequest request);

  /**
   * A server is asked on behalf of a request.
   *
   * @param path of the URL that is asked for, without a query
   * @param resends how many attempts there were before
   */
  Attempt ask(HttpServerRequest request, Target server, String path, int resends);

  /**
   * A server that is asked.
   *
   * @param scheme {@code http} or {@code https}
   */
  record Target(String scheme, String host, int port) {}

  /** One attempt to get a response of a server; what follows its end is ignored. */
  interface Attempt {
    /** Names this attempt in the headers of the request that is about to be sent. */
    void inject(MultiMap headers);

    /** The head of the response has come. */
    void answered(int status, HttpVersion version);

    /**
     * There is no response, or no end of it.
     *
     * @param why a word of which there are few
     */
    void failed(String why);

    /** It is over; if there was no response, nobody wants it any more. */
    void end();
  }
}
