package io.weir.server.connection;

import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The limits of a port's connections. Each is far above what an honest client needs, and low enough
 * that thousands of hostile clients cannot exhaust the memory.
 */
public enum ServerLimits {
  /** For clients on the Internet: few streams, few resets, a short idle timeout. */
  PUBLIC(100, 200, 30, 120),
  /**
   * For proxies and back ends, which check many requests at once over a few long-lived connections.
   * When a store is slow, they cancel all of these requests, so their resets are not an attack.
   */
  PEERS(1000, 10_000, 10, 600);

  private static final int MAX_FIRST_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEAD_BYTES = 16 * 1024;
  private static final int CONNECTION_WINDOW = 1024 * 1024;
  private static final int BACKLOG = 1024;

  private final int streams;
  private final int resets;
  private final int resetSeconds;
  private final int idleSeconds;

  ServerLimits(int streams, int resets, int resetSeconds, int idleSeconds) {
    this.streams = streams;
    this.resets = resets;
    this.resetSeconds = resetSeconds;
    this.idleSeconds = idleSeconds;
  }

  /**
   * The options of a port with these limits.
   *
   * @param port 0 for any free port
   */
  public HttpServerOptions at(String host, int port) {
    return new HttpServerOptions()
        .setHost(host)
        .setPort(port)
        .setStrictThreadMode(true) // responses are written only by the connection's event loop
        .setAcceptBacklog(BACKLOG)
        .setTcpKeepAlive(true)
        .setMaxInitialLineLength(MAX_FIRST_LINE_BYTES)
        .setMaxHeaderSize(MAX_HEAD_BYTES)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(streams)
                .setMaxHeaderListSize(MAX_HEAD_BYTES))
        // One stream that is not read must not use up the window of all others.
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
        .setHttp2RstFloodMaxRstFramePerWindow(resets)
        .setHttp2RstFloodWindowDuration(resetSeconds)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
        // Compressed lengths leak secrets (BREACH), and small compressed input can expand
        // enormously.
        .setCompressionSupported(false)
        .setDecompressionSupported(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false);
  }

  /**
   * The connection timeouts; {@link ConnectionLimiter} applies them at less cost than Vert.x's
   * timers.
   */
  public ConnectionLimiter.Timeouts timeouts() {
    return ConnectionLimiter.Timeouts.USUAL.withIdle(Duration.ofSeconds(idleSeconds));
  }
}
