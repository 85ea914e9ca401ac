package io.weir.redis;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import io.weir.redis.RedisFailure.Kind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One open connection: writes calls, reads replies.
 *
 * <p>Lettuce opens the connection; from then on this class owns the bytes. A pipeline of calls
 * needs neither a future nor a command object for each of them. A call is written into one array
 * with all others that wait, and its reply, a few integers, is read into one array.
 *
 * <pre>
 *   callers ──push──▶ waiting (a stack) ──one drain takes all──▶ bytes ──one write──▶ Redis
 *                                                │
 *                                                └─▶ expected (a queue) ◀── replies, in order
 * </pre>
 *
 * <p>A push onto an empty stack wakes the I/O thread; calls pushed before it runs join the same
 * batch. So a single call goes at once, and under load batches form by themselves. Calls pushed by
 * the I/O thread while it reads (callers that continue when a reply comes) go out in few writes,
 * the last when all received replies are read.
 */
// Netty's futures are ignored where their failure also comes as an event.
@SuppressWarnings("FutureReturnValueIgnored")
final class RespConnection extends ChannelInboundHandlerAdapter {
  /** More calls without a reply mean a server that is far behind; further calls fail at once. */
  private static final int MAX_EXPECTED = 1 << 16;

  /**
   * After this many replies the resulting calls are written, although more replies are waiting:
   * Redis can work on them meanwhile. A smaller number would mean more system calls.
   */
  private static final int AT_ONCE = 16;

  /** A write exceeds this by at most one call. */
  private static final int CHUNK = 64 * 1024;

  private static final byte[] ASKING = "ASKING".getBytes(StandardCharsets.US_ASCII);
  private static final long[] NOTHING = {};
  private static final Object CLOSED = new Object();
  private static final Object IGNORED = new Object();
  private static final System.Logger LOG = System.getLogger("io.weir.redis");
  private static final VarHandle WAITING;

  static {
    try {
      WAITING = MethodHandles.lookup().findVarHandle(RespConnection.class, "waiting", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The owner of the connection. */
  interface Owner {
    /** Whether {@code scriptCall}, refused with {@code error}, is handled in another way. */
    boolean detour(RespConnection respConnection, ScriptCall scriptCall, ErrorReply error);

    /** The connection is closed; called once. */
    void closed(RespConnection respConnection, RedisFailure why);

    /**
     * Redis sent data without a request: a message on a channel.
     *
     * @return whether it was expected
     */
    default boolean message(@Nullable Object message) {
      return false;
    }
  }

  /** An occasional command other than a call. */
  private record PendingCommand(byte[][] words, CompletableFuture<@Nullable Object> reply) {}

  private final String server;
  private final Channel channel;
  private final EventLoop loop;
  private final Runnable letGo;
  private final @Nullable Acknowledgements acknowledgements;
  private final Runnable drain = this::drain;

  // The topmost Call, CLOSED, or null.
  @SuppressWarnings("unused")
  private volatile @Nullable Object waiting;

  // From here on: only used by the I/O thread.
  private final ArrayDeque<Object> expected = new ArrayDeque<>(256);
  private final RespEncoder respEncoder = new RespEncoder();
  private final RespDecoder respDecoder = new RespDecoder();
  private @Nullable ChannelHandlerContext context;
  private @Nullable Owner owner;
  private boolean reading;
  private @Nullable RedisFailure closed;

  /**
   * Takes over an open channel.
   *
   * @param acknowledgements must approve each reply before its release; null for none
   * @param letGo runs when the channel is closed
   */
  RespConnection(
      String server, Channel channel, @Nullable Acknowledgements acknowledgements, Runnable letGo) {
    this.acknowledgements = acknowledgements;
    this.server = server;
    this.channel = channel;
    this.loop = channel.eventLoop();
    this.letGo = letGo;
  }

  String server() {
    return server;
  }

  /** Notifies {@code owner} from now on; at once if it is closed already. */
  void owner(Owner owner) {
    inLoop(
        () -> {
          this.owner = owner;
          if (closed != null) {
            owner.closed(this, closed);
          }
        });
  }

  /** Sends {@code scriptCall} with the next write. May be called on any thread. */
  void send(ScriptCall scriptCall) {
    Object top;
    do {
      top = waiting;
      if (top == CLOSED) {
        scriptCall.fail(new RedisFailure(Kind.DISCONNECTED, "no connection to " + server));
        return;
      }
      scriptCall.below = (ScriptCall) top;
    } while (!WAITING.compareAndSet(this, top, scriptCall));
    if (top == null && !(loop.inEventLoop() && reading)) {
      execute(drain);
    }
  }

  /** Sends {@code scriptCall} with ASKING, to the node of an ASK redirection. */
  void sendAsking(ScriptCall scriptCall) {
    inLoop(
        () -> {
          if (closed != null) {
            scriptCall.fail(closed);
            return;
          }
          if (!hasRoom(scriptCall) || !scriptCall.departs()) {
            return;
          }
          respEncoder.command(ASKING);
          expected.add(IGNORED);
          append(scriptCall);
          if (!reading) {
            drain();
          }
        });
  }

  /** Sends any command. {@link RespDecoder#value} describes the reply. */
  CompletableFuture<@Nullable Object> execute(String... words) {
    byte[][] encoded = new byte[words.length][];
    for (int i = 0; i < words.length; i++) {
      encoded[i] = words[i].getBytes(StandardCharsets.UTF_8);
    }
    return execute(encoded);
  }

  CompletableFuture<@Nullable Object> execute(byte[]... words) {
    PendingCommand pendingCommand = new PendingCommand(words, new CompletableFuture<>());
    inLoop(
        () -> {
          if (closed != null) {
            pendingCommand.reply.completeExceptionally(new TransportException(closed));
            return;
          }
          append(pendingCommand);
          if (!reading) {
            drain();
          }
        });
    return pendingCommand.reply;
  }

  /** Closes the connection; calls without a reply fail. */
  void close(RedisFailure why) {
    inLoop(
        () -> {
          shut(why);
          channel.close();
        });
  }

  private void inLoop(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
    } else {
      execute(task);
    }
  }

  private void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The I/O threads have ended, so no other thread uses this state.
      synchronized (this) {
        shut(new RedisFailure(Kind.DISCONNECTED, "closed"));
        task.run();
      }
    }
  }

  /** Writes all calls that wait, and all other commands. */
  private void drain() {
    boolean isLater = closed == null && acknowledgements != null && acknowledgements.isAwaited();
    ScriptCall scriptCall =
        isLater ? null : takeAll(); // they are taken when the replies have been read
    while (scriptCall != null) {
      ScriptCall next = scriptCall.below;
      scriptCall.below = null;
      if (closed != null) {
        scriptCall.fail(closed);
      } else {
        write(scriptCall);
      }
      scriptCall = next;
    }
    flush();
  }

  /** The calls that wait, the oldest first, linked by a field with a name for the reverse order. */
  private @Nullable ScriptCall takeAll() {
    Object top = WAITING.getAndSet(this, closed == null ? null : CLOSED);
    ScriptCall first = null;
    for (ScriptCall scriptCall = top == CLOSED ? null : (ScriptCall) top; scriptCall != null; ) {
      ScriptCall below = scriptCall.below;
      scriptCall.below = first;
      first = scriptCall;
      scriptCall = below;
    }
    return first;
  }

  /** Writes a call, unless it has ended. */
  private void write(ScriptCall scriptCall) {
    if (hasRoom(scriptCall) && scriptCall.departs()) {
      append(scriptCall);
    }
  }

  private boolean hasRoom(ScriptCall scriptCall) {
    if (expected.size() < MAX_EXPECTED) {
      return true;
    }
    scriptCall.fail(
        new RedisFailure(Kind.TIMEOUT, MAX_EXPECTED + " calls wait for a reply of " + server));
    return false;
  }

  private CompletableFuture<@Nullable Object> append(PendingCommand pendingCommand) {
    respEncoder.command(pendingCommand.words);
    expected.add(pendingCommand);
    return pendingCommand.reply;
  }

  private void append(ScriptCall scriptCall) {
    if (RetriedCall.hasText(scriptCall)) {
      respEncoder.eval(scriptCall);
    } else {
      respEncoder.evalSha(scriptCall);
    }
    expected.add(scriptCall);
    if (acknowledgements != null) {
      acknowledgements.wrote();
    }
    if (respEncoder.length() >= CHUNK) {
      put();
    }
  }

  private void put() {
    ByteBuf buffer = channel.alloc().directBuffer(respEncoder.length());
    buffer.writeBytes(respEncoder.bytes(), 0, respEncoder.length());
    respEncoder.clear();
    context().write(buffer, context().voidPromise());
  }

  private void flush() {
    if (closed == null) {
      if (acknowledgements != null) {
        acknowledgements.request(
            words -> append(new PendingCommand(words, new CompletableFuture<>())));
      }
      if (respEncoder.length() > 0) {
        put();
      }
      context().flush();
    }
  }

  private ChannelHandlerContext context() {
    if (context == null) {
      throw new IllegalStateException("not yet in the pipeline");
    }
    return context;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    if (!channel.isActive()) {
      shut(new RedisFailure(Kind.DISCONNECTED, "the connection to " + server + " is lost"));
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!(message instanceof ByteBuf buffer)) {
      ctx.fireChannelRead(message);
      return;
    }
    reading = true;
    try {
      int length = buffer.readableBytes();
      byte[] room = respDecoder.room(length);
      buffer.readBytes(room, respDecoder.end(), length);
      respDecoder.wrote(length);
      read();
    } catch (RespDecoder.RespException e) {
      String why = server + " does not speak as Redis does: " + e.getMessage();
      close(new RedisFailure(Kind.OTHER, why));
    } finally {
      buffer.release();
    }
  }

  private void read() throws RespDecoder.RespException {
    for (int i = 1; !respDecoder.isEmpty() && closed == null; i++) {
      if (i % AT_ONCE == 0 && waiting != null) {
        drain();
      }
      Object next = expected.peek();
      if (next instanceof ScriptCall scriptCall) {
        if (!respDecoder.nextNumbers()) {
          return;
        }
        expected.poll();
        end(scriptCall);
      } else {
        if (!respDecoder.nextValue()) {
          return;
        }
        expected.poll();
        if (next instanceof PendingCommand pendingCommand) {
          pendingCommand.reply.complete(respDecoder.value());
        } else if (next == null && owner != null && !owner.message(respDecoder.value())) {
          throw new RespDecoder.RespException("a reply to nothing");
        }
      }
    }
  }

  private void end(ScriptCall scriptCall) throws RespDecoder.RespException {
    String error = respDecoder.error();
    long[] numbers = error == null ? respDecoder.numbers() : NOTHING;
    if (error == null && !scriptCall.isReply(numbers)) {
      String said =
          "a reply of " + numbers.length + " integers that is not one to " + scriptCall.script();
      fail(scriptCall, new RedisFailure(Kind.OTHER, said));
      throw new RespDecoder.RespException(said);
    }
    try {
      if (error == null && acknowledgements != null) {
        acknowledgements.hold(scriptCall, numbers);
      } else if (error == null) {
        scriptCall.complete(numbers);
      } else {
        refused(scriptCall, new ErrorReply(error));
      }
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a reply could not be handed over", e);
    }
  }

  private void refused(ScriptCall scriptCall, ErrorReply error) {
    if (error.isUntouched()) {
      scriptCall.returned();
    }
    if (error.is("NOSCRIPT")
        && !RetriedCall.hasText(scriptCall)
        && !RetriedCall.isInVain(scriptCall)) {
      write(RetriedCall.withText(scriptCall));
    } else if (owner == null || !owner.detour(this, scriptCall, error)) {
      scriptCall.fail(error.redisFailure());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
    drain();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    shut(new RedisFailure(Kind.DISCONNECTED, "the connection to " + server + " is lost"));
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Throwable said =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    String why = "the connection to " + server + " is lost: " + said.getMessage();
    close(new RedisFailure(Kind.DISCONNECTED, why));
  }

  private void shut(RedisFailure why) {
    if (closed != null) {
      return;
    }
    closed = why;
    for (Object next = expected.poll(); next != null; next = expected.poll()) {
      if (next instanceof ScriptCall scriptCall) {
        fail(scriptCall, why);
      } else if (next instanceof PendingCommand pendingCommand) {
        pendingCommand.reply.completeExceptionally(new TransportException(why));
      }
    }
    if (acknowledgements != null) {
      acknowledgements.close(why);
    }
    for (ScriptCall scriptCall = takeAll(); scriptCall != null; ) {
      ScriptCall next = scriptCall.below;
      scriptCall.below = null;
      fail(scriptCall, why);
      scriptCall = next;
    }
    if (owner != null) {
      owner.closed(this, why);
    }
    letGo.run();
  }

  private static void fail(ScriptCall scriptCall, RedisFailure why) {
    try {
      scriptCall.fail(why);
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a failure could not be handed over", e);
    }
  }
}
