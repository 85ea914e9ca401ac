package io.weir.server.gateway.http1;

import io.netty.channel.ConnectTimeoutException;
import io.netty.util.NetUtil;
import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.internal.ContextInternal;
import io.weir.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the host name of a server for one event loop, and confined to it.
 *
 * <p>Lookups run on threads of their own, because they may block. The addresses are used in turn.
 * When they are some seconds old, a lookup in the background refreshes them; meanwhile the old
 * addresses are used. If a lookup fails, the last known addresses stay in use.
 */
public final class HostResolver {
  private static final Duration FRESH = Duration.ofSeconds(10);
  private static final int THREADS = 8;

  private final String host;
  private final Duration lookupTimeout;
  private final long freshNanos;
  private final Lookup lookup;
  private final TimeSource clock;
  private final @Nullable WorkerExecutor threads; // null if the host is an address
  private final List<PendingLookup> pendingLookups = new ArrayList<>();

  /** All addresses of the last successful lookup. */
  private List<InetAddress> resolved;

  /** The addresses in use. */
  private List<InetAddress> known;

  private int turn;
  private boolean isLookingUp;
  private long lookedUpAt;

  /** Looks up host names; may block. */
  public interface Lookup {
    InetAddress[] of(String host) throws UnknownHostException;
  }

  /** Receives an address; called on the event loop. */
  public interface ResolveCallback {
    void found(InetAddress address);

    void notFound(Throwable cause);
  }

  /**
   * Does not look up yet.
   *
   * @param host a name, or an address, which is never looked up
   * @param lookupTimeout the timeout of callers that wait for the first lookup
   * @param clock without steps
   */
  public HostResolver(
      Vertx vertx, String host, Duration lookupTimeout, Lookup lookup, TimeSource clock) {
    this(vertx, host, lookupTimeout, lookup, clock, FRESH);
  }

  HostResolver(
      Vertx vertx,
      String host,
      Duration lookupTimeout,
      Lookup lookup,
      TimeSource clock,
      Duration fresh) {
    InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
    this.host = host;
    this.lookupTimeout = lookupTimeout;
    this.freshNanos = fresh.toNanos();
    this.lookup = lookup;
    this.clock = clock;
    this.known = literal == null ? List.of() : List.of(literal);
    this.resolved = known;
    this.threads = literal == null ? vertx.createSharedWorkerExecutor("weir-names", THREADS) : null;
  }

  /** Passes an address to {@code finder}, at once if one is known. */
  public void find(ContextInternal context, ResolveCallback resolveCallback) {
    if (known.isEmpty()) {
      new PendingLookup(context, resolveCallback)
          .begin(); // before the lookup, which may complete at once
      lookUpIfDue();
    } else {
      lookUpIfDue();
      resolveCallback.found(next());
    }
  }

  private InetAddress next() {
    turn = turn + 1 < known.size() ? turn + 1 : 0;
    return known.get(turn);
  }

  /**
   * Excludes an address that could not be connected to until the next lookup, if there is another.
   */
  void leaveOut(InetAddress address) {
    List<InetAddress> others = known.stream().filter(each -> !each.equals(address)).toList();
    if (!others.isEmpty()) {
      known = others;
    }
  }

  /** An address that is not in {@code tried}; null if there is none. */
  @Nullable InetAddress other(List<InetAddress> tried) {
    lookUpIfDue();
    for (int i = 0; i < known.size(); i++) {
      InetAddress next = next();
      if (!tried.contains(next)) {
        return next;
      }
    }
    return resolved.stream().filter(each -> isOfOtherKind(each, tried)).findFirst().orElse(null);
  }

  /** If one IP version has no route, addresses of the other version may still work. */
  private static boolean isOfOtherKind(InetAddress address, List<InetAddress> tried) {
    return tried.stream().noneMatch(each -> each.getClass() == address.getClass());
  }

  /** Whether the last lookup included an address, even if it is excluded. */
  boolean isAt(InetAddress address) {
    lookUpIfDue();
    return resolved.contains(address);
  }

  private void lookUpIfDue() {
    if (threads != null
        && !isLookingUp
        && (known.isEmpty() || clock.epochNanos() - lookedUpAt > freshNanos)) {
      isLookingUp = true;
      threads.executeBlocking(() -> lookup.of(host), false).onComplete(this::lookedUp);
    }
  }

  private void lookedUp(AsyncResult<InetAddress[]> result) {
    isLookingUp = false;
    lookedUpAt = clock.epochNanos();
    List<InetAddress> found = result.succeeded() ? ofOneKind(result.result()) : List.of();
    if (!found.isEmpty()) {
      known = found;
      resolved = List.of(result.result());
    }
    Throwable cause = result.failed() ? result.cause() : new UnknownHostException(host);
    for (PendingLookup each : List.copyOf(pendingLookups)) {
      each.end(known.isEmpty() ? null : next(), cause);
    }
  }

  /** The addresses of the first one's IP version; the other version may have no route. */
  private static List<InetAddress> ofOneKind(InetAddress[] found) {
    List<InetAddress> all = List.of(found);
    return all.stream().filter(each -> each.getClass() == all.get(0).getClass()).toList();
  }

  /** A caller that waits for the first lookup. */
  private final class PendingLookup {
    private final ContextInternal context;
    private final ResolveCallback resolveCallback;

    PendingLookup(ContextInternal context, ResolveCallback resolveCallback) {
      this.context = context;
      this.resolveCallback = resolveCallback;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the timer does nothing if the search has ended
    void begin() {
      pendingLookups.add(this);
      Throwable late = new ConnectTimeoutException("the lookup of " + host + " timed out");
      context
          .nettyEventLoop()
          .schedule(() -> end(null, late), lookupTimeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    void end(@Nullable InetAddress address, Throwable otherwise) {
      if (pendingLookups.remove(this)) {
        context.dispatch(
            () -> {
              if (address == null) {
                resolveCallback.notFound(otherwise);
              } else {
                resolveCallback.found(address);
              }
            });
      }
    }
  }
}
