package io.weir.server.http;

import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.weir.server.door.Door;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What nobody may exceed who connects to a port. Each bound is far above what an honest client
 * needs, and low enough that thousands of dishonest ones cannot fill the memory.
 */
public enum Bounds {
  /** Whoever comes, from anywhere: few streams, few resets, connections that are used. */
  STRANGERS(100, 200, 30, 120),
  /**
   * Proxies and back ends, which ask about many requests at once over a few connections that they
   * keep, and which give up on all of them when a store is slow: such resets are no attack.
   */
  PEERS(1000, 10_000, 10, 600);

  private static final int LONGEST_FIRST_LINE = 8 * 1024;
  private static final int LONGEST_HEAD = 16 * 1024;
  private static final int CONNECTION_WINDOW = 1024 * 1024;
  private static final int BACKLOG = 1024;

  private final int streams;
  private final int resets;
  private final int resetSeconds;
  private final int idleSeconds;

  Bounds(int streams, int resets, int resetSeconds, int idleSeconds) {
    this.streams = streams;
    this.resets = resets;
    this.resetSeconds = resetSeconds;
    this.idleSeconds = idleSeconds;
  }

  /**
   * A port with these bounds.
   *
   * @param port 0: any that is free
   */
  public HttpServerOptions at(String host, int port) {
    return new HttpServerOptions()
        .setHost(host)
        .setPort(port)
        .setStrictThreadMode(true) // all is written by the event loop of its connection
        .setAcceptBacklog(BACKLOG)
        .setTcpKeepAlive(true)
        .setMaxInitialLineLength(LONGEST_FIRST_LINE)
        .setMaxHeaderSize(LONGEST_HEAD)
        .setInitialSettings(
            new Http2Settings().setMaxConcurrentStreams(streams).setMaxHeaderListSize(LONGEST_HEAD))
        // One stream that nobody reads must not use up what all others need.
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
        .setHttp2RstFloodMaxRstFramePerWindow(resets)
        .setHttp2RstFloodWindowDuration(resetSeconds)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
        // What is compressed can be guessed by its length, or be far larger than it looks.
        .setCompressionSupported(false)
        .setDecompressionSupported(false)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false);
  }

  /** How long somebody may take; the door looks after it, which costs less than Vert.x's timers. */
  public Door.Patience patience() {
    return Door.Patience.USUAL.withIdle(Duration.ofSeconds(idleSeconds));
  }
}
