package io.weir.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.weir.embedded.DelayedRequests;
import io.weir.embedded.FilterAction;
import io.weir.embedded.RequestGuard;
import io.weir.rules.HeldCharge;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Network;
import io.weir.runtime.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls of a gRPC server by the rules of a {@link Node}. Thread-safe; never blocks a
 * thread.
 *
 * <pre>{@code
 * WeirServerInterceptor weir = WeirServerInterceptor.builder(node).build();
 * Server server = ServerBuilder.forPort(50051).addService(service).intercept(weir).build();
 * }</pre>
 *
 * <p>Rules see a call in HTTP terms: {@code path} is {@code /package.Service/Method}, {@code
 * method} is {@code POST}. A refused call ends with {@code RESOURCE_EXHAUSTED} and a retry delay.
 * No thread waits, neither for a remote store nor for a delayed call.
 */
public final class WeirServerInterceptor implements ServerInterceptor, AutoCloseable {
  private final Node node;
  private final RequestGuard requestGuard;
  private final GrpcRequestReader reader;
  private final DelayedRequests delayedRequests;
  private final Executor executor;
  private final @Nullable ExecutorService ownExecutor;
  private final @Nullable Node ownNode;

  private WeirServerInterceptor(Builder builder) {
    node = builder.node;
    requestGuard = new RequestGuard(node, builder.headers);
    reader =
        new GrpcRequestReader(new TrustedProxies(builder.trusted), Map.copyOf(builder.attributes));
    delayedRequests = new DelayedRequests(builder.mostHeld);
    ownNode = builder.closesNode ? node : null;
    if (builder.executor == null) {
      ownExecutor = threads();
      executor = ownExecutor;
    } else {
      ownExecutor = null;
      executor = builder.executor;
    }
  }

  private static ExecutorService threads() {
    return Executors.newCachedThreadPool(
        work -> {
          Thread thread = new Thread(work, "weir-grpc");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** A builder of an interceptor for {@code node}, which other front ends may share. */
  public static Builder builder(Node node) {
    return new Builder(node);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (LimitHeadersServerCall.isChecked(call, node)) {
      return next.startCall(call, headers);
    }
    CompletableFuture<?> check = requestGuard.check(() -> reader.read(call, headers));
    if (check.isDone()) {
      FilterAction filterAction = requestGuard.step(check, null);
      if (!(filterAction instanceof FilterAction.Pass pass)) {
        return refuse(call, Refusal.of(filterAction));
      }
      if (pass.turn() == null) {
        return next.startCall(withLimits(call, pass), headers);
      }
    }
    DelayedListener<Q> later = new DelayedListener<>(call);
    new PendingCall<>(call, headers, next, later).until(check);
    return later;
  }

  private static <Q> ServerCall.Listener<Q> refuse(ServerCall<Q, ?> call, Refusal refusal) {
    call.close(refusal.status(), refusal.trailers());
    return new ServerCall.Listener<>() {};
  }

  private <Q, A> ServerCall<Q, A> withLimits(ServerCall<Q, A> call, FilterAction.Pass pass) {
    return new LimitHeadersServerCall<>(call, node, pass.limits());
  }

  /** Stops the interceptor; delayed calls are refused. */
  @Override
  public void close() {
    delayedRequests.close();
    if (ownExecutor != null) {
      ownExecutor.shutdown();
    }
    if (ownNode != null) {
      ownNode.close();
    }
  }

  /** A call that has not started. */
  private final class PendingCall<Q, A> {
    private final ServerCall<Q, A> call;
    private final Metadata headers;
    private final ServerCallHandler<Q, A> next;
    private final DelayedListener<Q> later;

    PendingCall(
        ServerCall<Q, A> call,
        Metadata headers,
        ServerCallHandler<Q, A> next,
        DelayedListener<Q> later) {
      this.call = call;
      this.headers = headers;
      this.next = next;
      this.later = later;
    }

    /** Continues on another thread: the store's threads must not be blocked. */
    @SuppressWarnings("FutureReturnValueIgnored") // the future does not fail
    void until(CompletableFuture<?> check) {
      if (check.isDone()) {
        apply(requestGuard.step(check, null));
      } else {
        check.whenComplete(
            (decided, failure) -> onExecutor(() -> apply(requestGuard.step(check, null))));
      }
    }

    private void apply(FilterAction filterAction) {
      if (!(filterAction instanceof FilterAction.Pass pass)) {
        end(Refusal.of(filterAction));
      } else if (pass.turn() == null) {
        begin(pass);
      } else {
        hold(pass, pass.turn());
      }
    }

    private void hold(FilterAction.Pass pass, HeldCharge turn) {
      DelayedRequests.WaitingRequest waitingRequest =
          delayedRequests.hold(
              turn, () -> onExecutor(() -> begin(pass)), () -> end(Refusal.busy()));
      if (waitingRequest == null) {
        end(Refusal.busy());
      } else {
        later.ifEnded(waitingRequest::leave);
      }
    }

    /** Leaves exceptions of the application to the executor. */
    private void onExecutor(Runnable work) {
      try {
        executor.execute(() -> attempt(work));
      } catch (RuntimeException | Error e) { // the executor is shut down or has no thread left
        end(Refusal.busy());
      }
    }

    private void attempt(Runnable work) {
      try {
        work.run();
      } catch (RuntimeException | Error e) {
        end(Refusal.busy());
        throw e;
      }
    }

    private void begin(FilterAction.Pass pass) {
      later.begin(() -> next.startCall(withLimits(call, pass), headers));
    }

    private void end(Refusal refusal) {
      later.begin(() -> refuse(call, refusal));
    }
  }

  /** Builds an interceptor. Not thread-safe. */
  public static final class Builder {
    private final Node node;
    private final Map<String, BiFunction<ServerCall<?, ?>, Metadata, @Nullable String>> attributes =
        new HashMap<>();
    private boolean closesNode;
    private List<Network> trusted = List.of();
    private HeaderStyle headers = HeaderStyle.DEFAULT;
    private int mostHeld = 4096;
    private @Nullable Executor executor;

    private Builder(Node node) {
      this.node = node;
    }

    /** Closes the node with the interceptor; unless set, it stays open. */
    public Builder closesNode() {
      closesNode = true;
      return this;
    }

    /** Sets the proxies that are trusted to send {@code x-forwarded-for}; none unless set. */
    public Builder trustedProxies(List<Network> networks) {
      trusted = List.copyOf(networks);
      return this;
    }

    /** Sets which rate limit headers are sent; all of them unless set. */
    public Builder headers(HeaderStyle style) {
      headers = style;
      return this;
    }

    /**
     * Sets an attribute that only the application knows, such as the user. Rules use it by this
     * name. It takes precedence over a header that the rules declare by the same name, even when it
     * is null.
     *
     * @param value evaluated when a rule needs it, in the call's thread and context; null means
     *     absent. It may throw {@link io.weir.rules.match.MalformedRequestException}
     */
    public Builder attribute(
        String name, BiFunction<ServerCall<?, ?>, Metadata, @Nullable String> value) {
      attributes.put(name, value);
      return this;
    }

    /** Sets how many calls may be delayed at a time; further ones are refused. */
    public Builder mostHeld(int max) {
      mostHeld = max;
      return this;
    }

    /**
     * Sets the executor on which calls continue after a wait; the server's own executor is a good
     * choice. Unless set, threads are created as needed.
     */
    public Builder executor(Executor callExecutor) {
      executor = callExecutor;
      return this;
    }

    /** Builds the interceptor. */
    public WeirServerInterceptor build() {
      return new WeirServerInterceptor(this);
    }
  }
}
