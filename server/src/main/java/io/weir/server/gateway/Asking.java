package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.StreamResetException;
import io.weir.rules.http.Target;
import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.Counters;
import io.weir.server.traffic.RetryReason;
import io.weir.server.traffic.StatusClass;
import java.io.IOException;
import java.util.BitSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a request gets to a server: to which, over which connection, and whether once more. It knows
 * what may become of the connection: one over which half a request was sent is closed, since what
 * came next would be taken for the rest.
 */
final class Asking implements Upstream.Taker {
  private static final int MOST_TRIES = 3;

  /** Of HTTP/2: the server has done nothing. */
  private static final long REFUSED_STREAM = 7;

  private final Exchange exchange;
  private final Worker worker;
  private final Routes.Group group;
  private final HttpServerRequest request;
  private final Client client;
  private final String target;
  private final boolean isUpgrade;
  private final @Nullable RequestTrace trace;
  private @Nullable Upstream server; // while it counts this as under way
  private @Nullable Origin last; // that was asked
  private RequestTrace.@Nullable Attempt attempt; // the last one
  private @Nullable Leg outbound;
  private boolean isConnecting;
  private boolean isBegun;
  private boolean isFirst;
  private boolean wasStale;
  private boolean isFailure;
  private @Nullable BitSet tried; // in vain, by their places
  private int place;
  private int tries;
  private long askedAt;

  /** Nobody is asked yet. */
  Asking(
      Exchange exchange,
      Worker worker,
      Routes.Group group,
      Inbound inbound,
      boolean upgrade,
      @Nullable RequestTrace trace) {
    this.exchange = exchange;
    this.worker = worker;
    this.group = group;
    this.request = inbound.request();
    this.client = Client.of(inbound);
    this.target = inbound.target();
    this.isUpgrade = upgrade;
    this.trace = trace;
  }

  private Asking(Asking before) {
    this.exchange = before.exchange;
    this.worker = before.worker;
    this.group = before.group;
    this.request = before.request;
    this.client = before.client;
    this.target = before.target;
    this.isUpgrade = before.isUpgrade;
    this.trace = before.trace;
    this.wasStale = before.wasStale;
  }

  /** The client that servers are asked for. */
  Client client() {
    return client;
  }

  /** Whether a server of this group is asked, for this purpose. */
  boolean isOf(Routes.Group other, boolean forUpgrade) {
    return other.equals(group) && forUpgrade == isUpgrade;
  }

  /** Where the end of the request is counted: at the server that was asked last, if any was. */
  Counters<StatusClass> ends(Counters<StatusClass> unasked) {
    return last == null ? unasked : last.traffic().requests();
  }

  /** Asks the server whose turn it is; the exchange is told when there is a connection, or none. */
  void begin() {
    if (!askAny()) {
      exchange.refuse(Failure.BUSY);
    }
  }

  private boolean askAny() {
    return askNext() || worker.makeRoom(group, isUpgrade, client) && askNext();
  }

  private boolean askNext() {
    int next = worker.next(group, isUpgrade, client, tried);
    if (next < 0) {
      return false;
    }
    Upstream asked = worker.at(group, isUpgrade, next);
    place = next;
    server = asked;
    last = asked.origin();
    exchange.asks(last);
    if (trace != null) {
      String path = last.prefix() + Target.path(target);
      attempt = trace.ask(request, last.target(), path, tries);
    }
    tries++;
    askedAt = System.nanoTime();
    isConnecting = true;
    try {
      asked.ask(client, request.method(), target, wasStale, this);
    } catch (RuntimeException e) {
      isConnecting = false;
      exchange.threw(e);
    }
    return true;
  }

  @Override
  public void connected(Leg leg, boolean first) {
    Upstream asked = server;
    isConnecting = false;
    if (asked == null || exchange.isOver()) {
      leg.drop(false); // nothing was sent: the connection is as good as before
      release();
      return;
    }
    outbound = leg;
    isFirst = first;
    try {
      exchange.send(leg, asked.origin());
    } catch (RuntimeException e) {
      exchange.threw(e);
    }
  }

  @Override
  public void notConnected(Throwable cause) {
    Upstream asked = server;
    isConnecting = false;
    if (asked == null || exchange.isOver()) {
      release();
      return;
    }
    Failure failure = Failure.ofConnecting(cause);
    if (failure == Failure.BUSY) {
      fail(failure);
    } else {
      failed(failure);
    }
    release();
    if (!askAnother()) {
      exchange.refuse(failure);
    }
  }

  private boolean askAnother() {
    if (tried == null) {
      tried = new BitSet();
    }
    tried.set(place);
    exchange.moved(); // the next one has as much time
    Origin before = last;
    boolean isAsked = tries < MOST_TRIES && askNext();
    if (isAsked && before != null) {
      before.traffic().retries().add(RetryReason.CONNECT);
    }
    return isAsked;
  }

  @Override
  public boolean isWaiting() {
    if (isOver()) {
      return false;
    }
    exchange.moved(); // each address has as much time
    return true;
  }

  private boolean isOver() {
    return server == null || exchange.isOver();
  }

  /**
   * The server lets nobody connect, and nobody knows when this will be told: it is waited for no
   * longer, and another may be asked instead, by what is returned.
   */
  Asking givenUp() {
    failed(Failure.CONNECT_TIMEOUT);
    release(); // what comes of it yet is dropped
    Asking instead = new Asking(this);
    instead.tried = tried;
    instead.place = place;
    instead.tries = tries;
    instead.last = last;
    return instead;
  }

  /** Asks another server than those that were asked in vain. */
  void beginElsewhere() {
    if (!askAnother()) {
      exchange.refuse(Failure.CONNECT_TIMEOUT);
    }
  }

  /** Headers of the request that is about to be sent. */
  void name(MultiMap headers) {
    if (attempt != null) {
      attempt.inject(headers);
    }
  }

  /** From now on the server may have seen something of the request. */
  void sends() {
    isBegun = true;
  }

  /**
   * Whether the request may be sent once more, and then does: the server says that it has done
   * nothing; or it had closed a connection that was kept, and even if it had not, doing it twice is
   * as good as once.
   *
   * @param isEmpty whether the request has no body
   */
  boolean again(Throwable cause, boolean isEmpty) {
    boolean mayBe =
        isEmpty
            && !isUpgrade
            && tries < MOST_TRIES
            && (isRefused(cause) || isClosed(cause) && !isFirst && isIdempotent(request.method()));
    if (mayBe) {
      Origin before = last;
      RetryReason reason = isRefused(cause) ? RetryReason.REFUSED : RetryReason.CLOSED;
      fail(reason);
      release();
      outbound = null;
      isBegun = false;
      tried = null; // it was the connection that was stale, not the server
      wasStale = true;
      if (!askAny()) {
        exchange.refuse(Failure.BUSY);
      } else if (before != null) {
        before.traffic().retries().add(reason);
      }
    }
    return mayBe;
  }

  private static boolean isRefused(Throwable cause) {
    return cause instanceof StreamResetException reset && reset.getCode() == REFUSED_STREAM;
  }

  /** In good order; or it was reset, if something was sent to a server that had closed it. */
  private static boolean isClosed(Throwable cause) {
    return cause instanceof HttpClosedException || cause instanceof IOException;
  }

  private static boolean isIdempotent(HttpMethod method) {
    return switch (method.name()) {
      case "GET", "HEAD", "OPTIONS", "PUT", "DELETE" -> true;
      default -> false;
    };
  }

  /** The server has begun to answer, by this status. */
  void answered(int status, HttpVersion version) {
    if (attempt != null) {
      attempt.answered(status, version);
    }
    if (last != null) {
      last.traffic().responses().add(System.nanoTime() - askedAt);
    }
    if (status == 502 || status == 503 || status == 504) {
      isFailure = true;
      blame();
    } else if (server != null) {
      server.origin().answered();
    }
  }

  /** The server has not answered in time; maybe it cannot hear. */
  void unanswered() {
    failed(Failure.NO_ANSWER);
    if (outbound instanceof ClientLeg client && client.version() == HttpVersion.HTTP_2) {
      worker.pulse().feel(client.request().connection());
    }
  }

  /** The server has not answered as it should. */
  void failed(Failure how) {
    erred(how);
    blame();
  }

  /** The server has done something wrong, for which it is not left out. */
  void erred(Failure how) {
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

  private void blame() {
    Upstream asked = server;
    if (asked != null) {
      asked.origin().failed();
    }
  }

  /** The server has answered to the end. */
  void served() {
    Upstream asked = server;
    if (asked != null && !isFailure) {
      asked.origin().served();
    }
  }

  /** The connection is used for something else; what is to be done when that is over. */
  Runnable takenOver() {
    endAttempt();
    Upstream asked = server;
    server = null;
    return () -> {
      if (asked != null) {
        asked.over(client);
      }
    };
  }

  /**
   * It is over.
   *
   * @param isWhole whether request and response were sent to their ends
   */
  void over(boolean isWhole) {
    endAttempt();
    if (!isConnecting) {
      release();
    }
    Leg to = outbound;
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
    Upstream asked = server;
    server = null;
    if (asked != null) {
      asked.over(client);
    }
  }
}
