package io.weir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.KqueueProvider;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.weir.redis.RedisFailure.Kind;
import io.weir.redis.RedisSettings.Node;
import io.weir.redis.RedisSettings.Tls;
import io.weir.redis.RedisSettings.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections: resolves the address, encrypts, authenticates, loads the scripts and inspects
 * the server, all within the connect timeout. Thread-safe.
 *
 * <p>Lettuce does the first two steps and passes the channel to a {@link RespConnection}. It does
 * not authenticate, because a refusal would sometimes be lost when the channel closes. It also does
 * not reconnect or keep commands.
 *
 * <p>The threads belong to this store and are few: at most two for I/O and two for all else,
 * started on first use.
 */
// Netty's futures are ignored where their failure also comes as an event.
@SuppressWarnings("FutureReturnValueIgnored")
final class RedisConnector implements AutoCloseable {
  private static final RedisFailure CLOSED = new RedisFailure(Kind.DISCONNECTED, "closed");

  /** An endpoint that exposes its channel. */
  private static final class OpenEndpoint extends DefaultEndpoint {
    OpenEndpoint(ClientOptions options, ClientResources resources) {
      super(options, resources);
    }

    @Nullable Channel openChannel() {
      return channel;
    }
  }

  /** A client that gives access to the channels of its connections. */
  private static final class OpenClient extends RedisClient {
    OpenClient(ClientResources resources) {
      super(resources, new RedisURI());
    }

    @Override
    protected DefaultEndpoint createEndpoint() {
      return new OpenEndpoint(getOptions(), getResources());
    }
  }

  private final RedisSettings settings;
  private final RespHandshake respHandshake;
  private final Supplier<@Nullable Acknowledgements> acknowledgements;
  private final Set<EventLoop> loops = new CopyOnWriteArraySet<>();
  private final ClientResources resources;
  private final OpenClient client;
  private final EventExecutor taskExecutor;
  private final Set<CompletableFuture<?>> underway = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean closing = new AtomicBoolean();

  // Only used by the task thread.
  private boolean closed;

  /**
   * @param acknowledgements creates those of a connection, if it has any
   * @throws IllegalArgumentException if a file in the settings cannot be used, or Unix sockets are
   *     not available
   */
  RedisConnector(
      RedisSettings settings,
      Supplier<List<Script>> scripts,
      Consumer<ServerReport> reports,
      Supplier<@Nullable Acknowledgements> acknowledgements) {
    this.settings = settings;
    this.acknowledgements = acknowledgements;
    this.respHandshake = new RespHandshake(settings.clientName(), scripts, reports);
    if (settings.topology() == Topology.SOCKET && !hasUnixSockets()) {
      throw new IllegalArgumentException(
          "unix:// needs Linux on x86-64 or arm64 with netty-transport-native-epoll on the class"
              + " path; use redis:// here");
    }
    SslOptions ssl = RedisTlsFiles.read(settings);
    LettuceLogs.hush();
    this.resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .addressResolverGroup(new JavaNameResolver())
            .build();
    this.client = new OpenClient(resources);
    this.taskExecutor = resources.eventExecutorGroup().next();
    client.setOptions(
        MaintenanceNotifications.unannounced(ClientOptions.builder())
            .autoReconnect(false)
            .pingBeforeActivateConnection(false)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .protocolVersion(ProtocolVersion.RESP2)
            .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
            .socketOptions(
                SocketOptions.builder()
                    .connectTimeout(settings.connectTimeout())
                    .keepAlive(true)
                    .tcpNoDelay(true)
                    .build())
            .sslOptions(ssl)
            .build());
  }

  private static @Nullable Channel channel(RedisChannelHandler<?, ?> connection) {
    return connection.getChannelWriter() instanceof OpenEndpoint endpoint
        ? endpoint.openChannel()
        : Lettuce6Endpoint.channel(connection.getChannelWriter());
  }

  private static boolean hasUnixSockets() {
    return EpollProvider.isAvailable() || KqueueProvider.isAvailable();
  }

  /** Runs everything except calls, one task after the other. */
  EventExecutor taskExecutor() {
    return taskExecutor;
  }

  /** A connection to a server with buckets: a primary. */
  CompletableFuture<RespConnection> dial(@Nullable Node node) {
    String server = node == null ? settings.socket().orElseThrow().toString() : node.toString();
    return dial(
        node,
        server,
        respConnection ->
            respHandshake
                .greet(respConnection, settings.login(), settings.database())
                .thenCompose(respHandshake::prepare));
  }

  /** Inspects the server of {@code respConnection} again. */
  void look(RespConnection respConnection) {
    respHandshake.look(respConnection);
  }

  /** A connection to a cluster node of any role, which lists the others. */
  CompletableFuture<RespConnection> dialScout(Node node) {
    return dial(
        node,
        node.toString(),
        respConnection -> respHandshake.greet(respConnection, settings.login(), 0));
  }

  /** A connection to a sentinel. */
  CompletableFuture<RespConnection> dialSentinel(Node node) {
    return dial(
        node,
        "sentinel " + node,
        respConnection -> respHandshake.greet(respConnection, settings.sentinelLogin(), 0));
  }

  /** Sends a command, and closes the connection if no reply comes in time. */
  CompletableFuture<@Nullable Object> execute(RespConnection respConnection, String... words) {
    return executeWithoutClosing(respConnection, words)
        .whenComplete(
            (reply, error) -> {
              if (error != null) {
                respConnection.close(
                    new RedisFailure(Kind.TIMEOUT, respConnection.server() + " does not answer"));
              }
            });
  }

  /** Sends a command, and only stops waiting if no reply comes in time. */
  CompletableFuture<@Nullable Object> executeWithoutClosing(
      RespConnection respConnection, String... words) {
    CompletableFuture<@Nullable Object> reply = respConnection.execute(words);
    bound(reply, respConnection.server() + " did not answer");
    return reply;
  }

  private RedisURI uri(@Nullable Node node) {
    RedisURI uri = new RedisURI();
    if (node == null) {
      uri.setSocket(settings.socket().orElseThrow().toString());
    } else {
      uri.setHost(node.host());
      uri.setPort(node.port());
    }
    uri.setTimeout(settings.connectTimeout());
    uri.setLibraryName("");
    uri.setLibraryVersion("");
    Tls tls = settings.tls();
    if (tls != null) {
      uri.setSsl(true);
      uri.setVerifyPeer(
          switch (tls.verify()) {
            case FULL -> SslVerifyMode.FULL;
            case CA -> SslVerifyMode.CA;
            case NONE -> SslVerifyMode.NONE;
          });
    }
    return uri;
  }

  private CompletableFuture<RespConnection> dial(
      @Nullable Node node,
      String server,
      Function<RespConnection, CompletableFuture<RespConnection>> introduce) {
    CompletableFuture<RespConnection> dialed = new CompletableFuture<>();
    try {
      taskExecutor.execute(
          () -> orFail(dialed, server, () -> connect(uri(node), server, introduce, dialed)));
    } catch (RejectedExecutionException e) {
      dialed.completeExceptionally(new TransportException(CLOSED));
    }
    return dialed;
  }

  /** Runs on the task thread, so that nothing starts after closing. */
  private void connect(
      RedisURI uri,
      String server,
      Function<RespConnection, CompletableFuture<RespConnection>> introduce,
      CompletableFuture<RespConnection> dialed) {
    if (closed) {
      dialed.completeExceptionally(new TransportException(CLOSED));
      return;
    }
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connected =
        client.connectAsync(ByteArrayCodec.INSTANCE, uri).toCompletableFuture();
    underway.add(connected);
    // The timeout starts now, because loading the classes of Lettuce is not a delay of Redis.
    bound(dialed, "cannot connect to " + server + ": no answer");
    connected
        .whenComplete((connection, error) -> underway.remove(connected))
        .thenCompose(connection -> takeOver(connection, server, dialed))
        .thenCompose(introduce)
        .whenComplete(
            (respConnection, error) -> {
              if (error != null) {
                dialed.completeExceptionally(new TransportException(failure(server, error)));
              } else if (!dialed.complete(respConnection)) {
                respConnection.close(CLOSED);
              }
            });
  }

  /**
   * Any throwable must fail the future, even a class-loading error or a lack of memory. Otherwise
   * the connection would never be dialed again.
   */
  static void orFail(CompletableFuture<?> awaited, String server, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      awaited.completeExceptionally(new TransportException(failure(server, e)));
    }
  }

  /** Fails {@code future} with {@code complaint} after the timeout. */
  private void bound(CompletableFuture<?> future, String complaint) {
    long millis = settings.connectTimeout().toMillis();
    RedisFailure late = new RedisFailure(Kind.TIMEOUT, complaint + " within " + millis + " ms");
    ScheduledFuture<?> deadline =
        taskExecutor.schedule(
            () -> future.completeExceptionally(new TransportException(late)),
            Math.max(1, millis),
            TimeUnit.MILLISECONDS);
    future.whenComplete((done, error) -> deadline.cancel(false));
  }

  /**
   * Puts a {@link RespConnection} between the channel and Lettuce; closes it if the dialing fails.
   */
  private CompletableFuture<RespConnection> takeOver(
      StatefulRedisConnection<byte[], byte[]> connection,
      String server,
      CompletableFuture<RespConnection> dialed) {
    @Nullable Channel channel = channel((RedisChannelHandler<?, ?>) connection);
    if (channel == null) {
      connection.closeAsync();
      String lost = "the connection to " + server + " is lost";
      return CompletableFuture.failedFuture(
          new TransportException(new RedisFailure(Kind.DISCONNECTED, lost)));
    }
    loops.add(channel.eventLoop());
    RespConnection respConnection =
        new RespConnection(server, channel, acknowledgements.get(), () -> letGo(connection));
    dialed.whenComplete(
        (done, error) -> {
          if (error != null) {
            respConnection.close(
                new RedisFailure(Kind.DISCONNECTED, String.valueOf(error.getMessage())));
          }
        });
    CompletableFuture<RespConnection> taken = new CompletableFuture<>();
    channel
        .eventLoop()
        .execute(() -> orFail(taken, server, () -> insert(respConnection, channel, taken)));
    return taken;
  }

  private static void insert(
      RespConnection respConnection, Channel channel, CompletableFuture<RespConnection> taken) {
    ChannelPipeline pipeline = channel.pipeline();
    @Nullable SslHandler ssl = pipeline.get(SslHandler.class);
    if (ssl == null) {
      pipeline.addFirst(respConnection);
    } else {
      pipeline.addAfter(pipeline.context(ssl).name(), null, respConnection);
    }
    taken.complete(respConnection);
  }

  /** Lettuce logs a warning about a second close. */
  private static void letGo(StatefulRedisConnection<?, ?> connection) {
    if (!((RedisChannelHandler<?, ?>) connection).isClosed()) {
      connection.closeAsync();
    }
  }

  /** Converts an error, by the innermost cause with a message. */
  static RedisFailure failure(String server, Throwable error) {
    String said = "";
    Kind kind = Kind.DISCONNECTED;
    int depth = 0;
    for (@Nullable Throwable cause = error;
        cause != null && depth++ < 20;
        cause = cause.getCause()) {
      if (cause instanceof TransportException link) {
        return link.redisFailure();
      }
      if (cause instanceof Error) {
        said = cause.toString();
      } else if (cause.getMessage() != null && !(cause instanceof CompletionException)) {
        said = cause.getMessage();
      }
      if (cause instanceof ConnectTimeoutException
          || cause instanceof RedisCommandTimeoutException
          || cause instanceof TimeoutException) {
        kind = Kind.TIMEOUT;
      }
    }
    return new RedisFailure(kind, "cannot connect to " + server + ": " + said);
  }

  /** Whether this is one of the threads that read replies. */
  boolean isThisThread() {
    for (EventLoop loop : loops) {
      if (loop.inEventLoop()) {
        return true;
      }
    }
    return false;
  }

  /** Closes all connections and stops all threads; waits for them briefly. */
  @Override
  public void close() {
    // The order ensures that no task meets a stopped thread. First no new connections, then none in
    // progress (Lettuce forgets those at shutdown), then no open ones, then the threads.
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    taskExecutor.submit(() -> closed = true).awaitUninterruptibly(1, TimeUnit.SECONDS);
    CompletableFuture<?>[] left = underway.toArray(new CompletableFuture<?>[0]);
    try {
      CompletableFuture.allOf(left).get(500, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      // They have failed, or their channels close with the threads.
    }
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}
