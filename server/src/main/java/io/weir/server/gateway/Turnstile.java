package io.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Delays;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Cors;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.access.AccessEntry;
import io.weir.server.access.AccessLog;
import io.weir.server.door.Porter;
import io.weir.server.http.Remote;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.StatusClass;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides requests before dispatch, and refuses them there.
 *
 * <p>Dispatching a request and encoding its response are most of the cost of a refusal. A request
 * that is not refused here is dispatched together with its decision, so that nothing is charged
 * twice. Unusual requests are dispatched undecided and get the same decision later. So do all
 * requests if tracing is on, because spans begin after dispatch.
 */
final class Turnstile implements Porter {
  private static final AttributeKey<Judged> JUDGED =
      AttributeKey.valueOf(Turnstile.class, "judged");

  private final Arbiter arbiter;
  private final HeadReader reader;
  private final Answers answers;
  private final Cors cors;
  private final Delays delays;
  private final GatewayTraffic<?> traffic;
  private final @Nullable AccessLog access;

  Turnstile(
      Arbiter arbiter,
      HeadReader reader,
      Answers answers,
      Cors cors,
      Delays delays,
      GatewayTraffic<?> traffic,
      @Nullable AccessLog access) {
    this.arbiter = arbiter;
    this.reader = reader;
    this.answers = answers;
    this.cors = cors;
    this.delays = delays;
    this.traffic = traffic;
    this.access = access;
  }

  @Override
  public @Nullable ByteBuf answer(Channel connection, HttpRequest request) {
    Address peer = Remote.known(connection);
    if (peer == null || delays.arePossible() || !(request.headers() instanceof MultiMap headers)) {
      return null;
    }
    Judged judged;
    try {
      Head head = reader.read(request, headers, peer);
      judged = new Judged(head, arbiter.decide(head));
    } catch (MalformedRequestException e) {
      return null;
    }
    Attribute<Judged> slot = connection.attr(JUDGED);
    slot.set(judged); // from here on, no second decision may charge the request again
    Ruling ruling = judged.now();
    boolean isOfPage = cors.isOn() && headers.contains(HttpHeaders.ORIGIN);
    if (ruling == null || ruling.allowed() || isOfPage) {
      return null;
    }
    Answer refusal = answers.refusal(ruling, headers.get(HttpHeaders.ACCEPT));
    byte[] bytes = refusal.http1();
    ByteBuf answer = connection.alloc().ioBuffer(bytes.length).writeBytes(bytes);
    slot.set(null);
    traffic.unasked().add(StatusClass.of(refusal.status()));
    if (access != null) {
      log(access, judged.head(), ruling, refusal);
    }
    return answer;
  }

  private static void log(AccessLog access, Head head, Ruling ruling, Answer refusal) {
    AccessEntry entry =
        access.early("gateway", head.method(), head.target(), head.host(), head.headers());
    if (entry != null) {
      describe(entry, head, ruling);
      access.end(entry, refusal.status(), refusal.body().length());
    }
  }

  /** Adds the client and the decision to an entry of the access log. */
  static void describe(AccessEntry entry, Head head, Ruling ruling) {
    entry.client(head.client());
    entry.decided(ruling);
  }

  /** Takes the early decision of a request; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  static @Nullable Judged judged(HttpServerRequest request) {
    if (!(request.connection() instanceof ConnectionBase base)) {
      return null;
    }
    Attribute<Judged> slot = base.channel().attr(JUDGED);
    Judged judged = slot.get();
    if (judged == null || judged.head.headers() != request.headers()) {
      return null;
    }
    slot.set(null); // an idle connection must not retain the request
    return judged;
  }

  /** A request and its decision. */
  record Judged(Head head, CompletionStage<Ruling> stage) {
    /** The decision, if it is complete. */
    @Nullable Ruling now() {
      CompletableFuture<Ruling> future = stage.toCompletableFuture();
      return future.isDone() && !future.isCompletedExceptionally() ? future.join() : null;
    }
  }
}
