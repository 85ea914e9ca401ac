package io.weir.server.wire;

import io.netty.channel.ConnectTimeoutException;
import io.netty.util.NetUtil;
import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.internal.ContextInternal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where a server is, as one event loop knows it.
 *
 * <p>A name is looked up on threads of its own, since that may take long: the event loop never
 * waits. What was found is used in turns, and looked up again when it is some seconds old, by the
 * way: whoever comes meanwhile gets what is known. While nobody can tell, the last that was known
 * counts.
 */
public final class Name {
  private static final Duration FRESH = Duration.ofSeconds(10);
  private static final int THREADS = 8;

  private final String host;
  private final Duration patience;
  private final long freshNanos;
  private final Lookup lookup;
  private final @Nullable WorkerExecutor threads; // none: it is an address
  private final List<Search> searches = new ArrayList<>();

  /** All of them, as they were last told. */
  private List<InetAddress> told;

  /** Those of them that are used. */
  private List<InetAddress> known;

  private int turn;
  private boolean isAsked;
  private long askedAt;

  /** How names are looked up; may take its time. */
  public interface Lookup {
    InetAddress[] of(String host) throws UnknownHostException;
  }

  /** Who wants to go there; on the event loop. */
  public interface Finder {
    void found(InetAddress address);

    void notFound(Throwable cause);
  }

  /**
   * Nothing is looked up yet.
   *
   * @param host a name, or an address, which is never looked up
   * @param patience how long whoever comes first waits for an answer
   */
  public Name(Vertx vertx, String host, Duration patience, Lookup lookup) {
    this(vertx, host, patience, lookup, FRESH);
  }

  Name(Vertx vertx, String host, Duration patience, Lookup lookup, Duration fresh) {
    InetAddress literal = NetUtil.createInetAddressFromIpAddressString(host);
    this.host = host;
    this.patience = patience;
    this.freshNanos = fresh.toNanos();
    this.lookup = lookup;
    this.known = literal == null ? List.of() : List.of(literal);
    this.told = known;
    this.threads = literal == null ? vertx.createSharedWorkerExecutor("weir-names", THREADS) : null;
  }

  /** Tells an address, at once if there is one. */
  public void find(ContextInternal context, Finder finder) {
    if (known.isEmpty()) {
      new Search(context, finder).begin(); // first: the answer may come at once
      lookUpIfDue();
    } else {
      lookUpIfDue();
      finder.found(next());
    }
  }

  private InetAddress next() {
    turn = turn + 1 < known.size() ? turn + 1 : 0;
    return known.get(turn);
  }

  /**
   * There was no connection to an address: it is left out until the name is looked up again, if
   * there is another.
   */
  void leaveOut(InetAddress address) {
    List<InetAddress> others = known.stream().filter(each -> !each.equals(address)).toList();
    if (!others.isEmpty()) {
      known = others;
    }
  }

  /** An address that is none of {@code tried}; null if there is none. */
  @Nullable InetAddress other(List<InetAddress> tried) {
    lookUpIfDue();
    for (int i = 0; i < known.size(); i++) {
      InetAddress next = next();
      if (!tried.contains(next)) {
        return next;
      }
    }
    return told.stream().filter(each -> isOfOtherKind(each, tried)).findFirst().orElse(null);
  }

  /** Where no address of one version of IP leads anywhere, those of the other may. */
  private static boolean isOfOtherKind(InetAddress address, List<InetAddress> tried) {
    return tried.stream().noneMatch(each -> each.getClass() == address.getClass());
  }

  /** Whether the server is still at an address, even if that was left out. */
  boolean isAt(InetAddress address) {
    lookUpIfDue();
    return told.contains(address);
  }

  private void lookUpIfDue() {
    if (threads != null
        && !isAsked
        && (known.isEmpty() || System.nanoTime() - askedAt > freshNanos)) {
      isAsked = true;
      threads.executeBlocking(() -> lookup.of(host), false).onComplete(this::lookedUp);
    }
  }

  private void lookedUp(AsyncResult<InetAddress[]> result) {
    isAsked = false;
    askedAt = System.nanoTime();
    List<InetAddress> found = result.succeeded() ? ofOneKind(result.result()) : List.of();
    if (!found.isEmpty()) {
      known = found;
      told = List.of(result.result());
    }
    Throwable cause = result.failed() ? result.cause() : new UnknownHostException(host);
    for (Search each : List.copyOf(searches)) {
      each.end(known.isEmpty() ? null : next(), cause);
    }
  }

  /** Those of the first one's version of IP: nobody knows whether the other leads anywhere. */
  private static List<InetAddress> ofOneKind(InetAddress[] found) {
    List<InetAddress> all = List.of(found);
    return all.stream().filter(each -> each.getClass() == all.get(0).getClass()).toList();
  }

  /** Somebody who waits for the first answer. */
  private final class Search {
    private final ContextInternal context;
    private final Finder finder;

    Search(ContextInternal context, Finder finder) {
      this.context = context;
      this.finder = finder;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it finds nobody who waits any more
    void begin() {
      searches.add(this);
      Throwable late = new ConnectTimeoutException("where " + host + " is was not told in time");
      context
          .nettyEventLoop()
          .schedule(() -> end(null, late), patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    void end(@Nullable InetAddress address, Throwable otherwise) {
      if (searches.remove(this)) {
        context.dispatch(
            () -> {
              if (address == null) {
                finder.notFound(otherwise);
              } else {
                finder.found(address);
              }
            });
      }
    }
  }
}
