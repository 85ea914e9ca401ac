package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.StreamResetException;
import io.weir.rules.http.RequestTarget;
import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.EnumCounters;
import io.weir.server.traffic.RetryReason;
import io.weir.server.traffic.StatusClass;
import java.io.IOException;
import java.util.BitSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Sends a request upstream: selects a server, obtains a connection, and retries. It also decides
 * what happens to the connection. One over which half a request was sent is closed, because the
 * server would read the next request as the rest of it.
 */
final class UpstreamAttempt implements Upstream.ConnectCallback {
  private static final int MAX_TRIES = 3;

  /** HTTP/2's REFUSED_STREAM: the server has not processed the request. */
  private static final long REFUSED_STREAM = 7;

  private final ProxyExchange proxyExchange;
  private final UpstreamPool upstreamPool;
  private final RouteTable.Group group;
  private final HttpServerRequest request;
  private final ClientIdentity clientIdentity;
  private final String target;
  private final boolean isUpgrade;
  private final @Nullable RequestTrace trace;
  private @Nullable Upstream server; // while this attempt counts against it
  private @Nullable UpstreamServer last; // server tried
  private RequestTrace.@Nullable Attempt attempt; // the last one
  private @Nullable UpstreamRequest outbound;
  private boolean isConnecting;
  private boolean isBegun;
  private boolean isFirst;
  private boolean wasStale;
  private boolean isFailure;
  private @Nullable BitSet tried; // servers that failed, by index
  private int place;
  private int tries;
  private long startedAt;

  /** Does not connect yet. */
  UpstreamAttempt(
      ProxyExchange proxyExchange,
      UpstreamPool upstreamPool,
      RouteTable.Group group,
      InboundRequest inboundRequest,
      boolean upgrade,
      @Nullable RequestTrace trace) {
    this.proxyExchange = proxyExchange;
    this.upstreamPool = upstreamPool;
    this.group = group;
    this.request = inboundRequest.request();
    this.clientIdentity = ClientIdentity.of(inboundRequest);
    this.target = inboundRequest.target();
    this.isUpgrade = upgrade;
    this.trace = trace;
  }

  private UpstreamAttempt(UpstreamAttempt before) {
    this.proxyExchange = before.proxyExchange;
    this.upstreamPool = before.upstreamPool;
    this.group = before.group;
    this.request = before.request;
    this.clientIdentity = before.clientIdentity;
    this.target = before.target;
    this.isUpgrade = before.isUpgrade;
    this.trace = before.trace;
    this.wasStale = before.wasStale;
  }

  /** The client of the request. */
  ClientIdentity clientIdentity() {
    return clientIdentity;
  }

  /** Whether this uses a server of the group for the same purpose. */
  boolean isOf(RouteTable.Group other, boolean forUpgrade) {
    return other.equals(group) && forUpgrade == isUpgrade;
  }

  /** The counters of the last server that was tried, or {@code unasked} if none was. */
  EnumCounters<StatusClass> ends(EnumCounters<StatusClass> unasked) {
    return last == null ? unasked : last.traffic().requests();
  }

  /** Connects to the next server; the exchange is called back with a connection or a failure. */
  void begin() {
    if (!tryAny()) {
      proxyExchange.refuse(ProxyError.BUSY);
    }
  }

  private boolean tryAny() {
    return tryNext() || upstreamPool.makeRoom(group, isUpgrade, clientIdentity) && tryNext();
  }

  private boolean tryNext() {
    int next = upstreamPool.next(group, isUpgrade, clientIdentity, tried);
    if (next < 0) {
      return false;
    }
    Upstream current = upstreamPool.at(group, isUpgrade, next);
    place = next;
    server = current;
    last = current.upstreamServer();
    proxyExchange.attemptStarted(last);
    if (trace != null) {
      String path = last.prefix() + RequestTarget.path(target);
      attempt = trace.startAttempt(request, last.target(), path, tries);
    }
    tries++;
    startedAt = upstreamPool.nanos();
    isConnecting = true;
    try {
      current.connect(clientIdentity, request.method(), target, wasStale, this);
    } catch (RuntimeException e) {
      isConnecting = false;
      proxyExchange.threw(e);
    }
    return true;
  }

  @Override
  public void connected(UpstreamRequest upstreamRequest, boolean first) {
    Upstream current = server;
    isConnecting = false;
    if (current == null || proxyExchange.isOver()) {
      upstreamRequest.drop(false); // nothing was sent, so the connection can be reused
      release();
      return;
    }
    outbound = upstreamRequest;
    isFirst = first;
    try {
      proxyExchange.send(upstreamRequest, current.upstreamServer());
    } catch (RuntimeException e) {
      proxyExchange.threw(e);
    }
  }

  @Override
  public void notConnected(Throwable cause) {
    Upstream current = server;
    isConnecting = false;
    if (current == null || proxyExchange.isOver()) {
      release();
      return;
    }
    ProxyError proxyError = ProxyError.ofConnecting(cause);
    if (proxyError == ProxyError.BUSY) {
      fail(proxyError);
    } else {
      failed(proxyError);
    }
    release();
    if (!tryAnother()) {
      proxyExchange.refuse(proxyError);
    }
  }

  private boolean tryAnother() {
    if (tried == null) {
      tried = new BitSet();
    }
    tried.set(place);
    proxyExchange.moved(); // restarts the connect timeout for the next server
    UpstreamServer before = last;
    boolean isRetried = tries < MAX_TRIES && tryNext();
    if (isRetried && before != null) {
      before.traffic().retries().add(RetryReason.CONNECT);
    }
    return isRetried;
  }

  @Override
  public boolean isWaiting() {
    if (isOver()) {
      return false;
    }
    proxyExchange.moved(); // restarts the connect timeout for the next address
    return true;
  }

  private boolean isOver() {
    return server == null || proxyExchange.isOver();
  }

  /**
   * Cancels an attempt to connect that the client library has not timed out. Returns an attempt
   * that may use another server.
   */
  UpstreamAttempt givenUp() {
    failed(ProxyError.CONNECT_TIMEOUT);
    release(); // a late result is dropped
    UpstreamAttempt instead = new UpstreamAttempt(this);
    instead.tried = tried;
    instead.place = place;
    instead.tries = tries;
    instead.last = last;
    return instead;
  }

  /** Tries a server that has not failed yet. */
  void retryOnAnotherServer() {
    if (!tryAnother()) {
      proxyExchange.refuse(ProxyError.CONNECT_TIMEOUT);
    }
  }

  /** Adds the trace context to the headers of the request to be sent. */
  void name(MultiMap headers) {
    if (attempt != null) {
      attempt.inject(headers);
    }
  }

  /** Records that the server may have received part of the request from now on. */
  void sends() {
    isBegun = true;
  }

  /**
   * Retries the request if that is safe. It is safe if the server reports that it has not processed
   * the request. It is also safe if a kept-alive connection was closed and the method is
   * idempotent, because then processing the request twice does no harm.
   *
   * @param isEmpty whether the request has no body
   */
  boolean again(Throwable cause, boolean isEmpty) {
    boolean mayBe =
        isEmpty
            && !isUpgrade
            && tries < MAX_TRIES
            && (isRefused(cause) || isClosed(cause) && !isFirst && isIdempotent(request.method()));
    if (mayBe) {
      UpstreamServer before = last;
      RetryReason reason = isRefused(cause) ? RetryReason.REFUSED : RetryReason.CLOSED;
      fail(reason);
      release();
      outbound = null;
      isBegun = false;
      tried = null; // the connection was stale, the server may be healthy
      wasStale = true;
      if (!tryAny()) {
        proxyExchange.refuse(ProxyError.BUSY);
      } else if (before != null) {
        before.traffic().retries().add(reason);
      }
    }
    return mayBe;
  }

  private static boolean isRefused(Throwable cause) {
    return cause instanceof StreamResetException reset && reset.getCode() == REFUSED_STREAM;
  }

  /** Whether the connection was closed, or reset because the server had closed it before. */
  private static boolean isClosed(Throwable cause) {
    return cause instanceof HttpClosedException || cause instanceof IOException;
  }

  private static boolean isIdempotent(HttpMethod method) {
    return switch (method.name()) {
      case "GET", "HEAD", "OPTIONS", "PUT", "DELETE" -> true;
      default -> false;
    };
  }

  /** The server has sent a response head with this status. */
  void answered(int status, HttpVersion version) {
    if (attempt != null) {
      attempt.answered(status, version);
    }
    if (last != null) {
      last.traffic().responses().add(upstreamPool.nanos() - startedAt);
    }
    if (status == 502 || status == 503 || status == 504) {
      isFailure = true;
      countFailure();
    } else if (server != null) {
      server.upstreamServer().answered();
    }
  }

  /** The server has not responded in time; its HTTP/2 connection may be dead. */
  void unanswered() {
    failed(ProxyError.NO_ANSWER);
    if (outbound instanceof VertxUpstreamRequest client && client.version() == HttpVersion.HTTP_2) {
      upstreamPool.http2PingProbe().probe(client.request().connection());
    }
  }

  /** Counts a failure of the server and records it for passive health checks. */
  void failed(ProxyError how) {
    erred(how);
    countFailure();
  }

  /** Counts an error of the server that does not affect its health. */
  void erred(ProxyError how) {
    fail(how);
    if (last != null) {
      last.traffic().errors().add(how);
    }
  }

  private void fail(Enum<?> why) {
    if (attempt != null) {
      attempt.failed(why.name().toLowerCase(Locale.ROOT));
    }
  }

  private void countFailure() {
    Upstream current = server;
    if (current != null) {
      current.upstreamServer().failed();
    }
  }

  /** The server has sent its whole response. */
  void served() {
    Upstream current = server;
    if (current != null && !isFailure) {
      current.upstreamServer().served();
    }
  }

  /** The connection became a tunnel. Returns what to run when the tunnel ends. */
  Runnable takenOver() {
    endAttempt();
    Upstream current = server;
    server = null;
    return () -> {
      if (current != null) {
        current.over(clientIdentity);
      }
    };
  }

  /**
   * Ends the attempt.
   *
   * @param isWhole whether request and response were both complete
   */
  void over(boolean isWhole) {
    endAttempt();
    if (!isConnecting) {
      release();
    }
    UpstreamRequest to = outbound;
    if (to != null && isWhole) {
      to.release();
    } else if (to != null) {
      to.drop(isBegun);
    }
  }

  private void endAttempt() {
    if (attempt != null) {
      attempt.end();
    }
  }

  private void release() {
    Upstream current = server;
    server = null;
    if (current != null) {
      current.over(clientIdentity);
    }
  }
}
