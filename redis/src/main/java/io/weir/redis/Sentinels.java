package io.weir.redis;

import io.weir.redis.Failure.Kind;
import io.weir.redis.RedisSettings.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Finds the primary through sentinels.
 *
 * <p>Sentinels are asked one after the other until one knows the primary. A sentinel that named a
 * server which is not the primary is asked last the next time, because sentinels may disagree
 * during a failover.
 */
// Futures are ignored where their failure is handled in the chain itself.
@SuppressWarnings("FutureReturnValueIgnored")
final class Sentinels {
  private final Dialer dialer;
  private final String master;
  private final List<Node> order;

  Sentinels(Dialer dialer, List<Node> nodes, String master) {
    this.dialer = dialer;
    this.master = master;
    this.order = new ArrayList<>(nodes);
  }

  /** The address of the primary, from the first sentinel that answers. */
  CompletionStage<Node> primary() {
    return whereFrom(0, new Failure(Kind.DISCONNECTED, "no sentinel"));
  }

  /** A connection to the primary. */
  CompletionStage<Wire> dialPrimary() {
    return primary()
        .thenCompose(dialer::dial)
        .whenComplete(
            (wire, error) -> {
              if (error != null) {
                rotate();
              }
            });
  }

  /** A connection to a sentinel that will announce new primaries. */
  CompletionStage<Wire> dialWatch() {
    Node sentinel = first();
    return dialer
        .dialSentinel(sentinel)
        .thenCompose(
            wire ->
                dialer
                    .ask(wire, "SUBSCRIBE", "+switch-master")
                    .thenApply(reply -> subscribed(wire, sentinel, reply)))
        .whenComplete(
            (wire, error) -> {
              if (error != null) {
                rotate();
              }
            });
  }

  private static Wire subscribed(Wire wire, Node sentinel, @Nullable Object reply) {
    if (reply instanceof ErrorReply error) {
      Failure said = error.failure();
      Failure why = new Failure(said.kind(), "sentinel " + sentinel + " says: " + said.message());
      wire.close(why);
      throw new LinkException(why);
    }
    return wire;
  }

  /** The address of the new primary if {@code message} announces one; else null. */
  @Nullable Node switched(@Nullable Object message) {
    if (message instanceof List<?> list
        && list.size() == 3
        && "+switch-master".equals(list.get(1))
        && list.get(2) instanceof String text) {
      // NAME old-host old-port new-host new-port
      String[] words = text.split(" ", -1);
      if (words.length == 5 && words[0].equals(master)) {
        return node(words[3], words[4]);
      }
    }
    return null;
  }

  private synchronized Node first() {
    return order.get(0);
  }

  private synchronized void rotate() {
    Collections.rotate(order, -1);
  }

  private synchronized @Nullable Node at(int index) {
    return index < order.size() ? order.get(index) : null;
  }

  private CompletionStage<Node> whereFrom(int index, Failure before) {
    Node sentinel = at(index);
    if (sentinel == null) {
      return CompletableFuture.failedFuture(new LinkException(before));
    }
    CompletableFuture<Node> found = new CompletableFuture<>();
    ask(sentinel)
        .whenComplete(
            (node, error) -> {
              if (error == null) {
                found.complete(node);
                return;
              }
              Failure failure = Dialer.failure("sentinel " + sentinel, error);
              whereFrom(index + 1, failure)
                  .whenComplete(
                      (next, none) -> {
                        if (none == null) {
                          found.complete(next);
                        } else {
                          found.completeExceptionally(none);
                        }
                      });
            });
    return found;
  }

  private CompletionStage<Node> ask(Node sentinel) {
    return dialer
        .dialSentinel(sentinel)
        .thenCompose(
            wire ->
                dialer
                    .ask(wire, "SENTINEL", "get-master-addr-by-name", master)
                    .whenComplete(
                        (reply, error) -> wire.close(new Failure(Kind.DISCONNECTED, "asked")))
                    .thenApply(reply -> primary(sentinel, reply)));
  }

  private Node primary(Node sentinel, @Nullable Object reply) {
    if (reply instanceof ErrorReply error) {
      Failure said = error.failure();
      throw new LinkException(
          new Failure(said.kind(), "sentinel " + sentinel + " says: " + said.message()));
    }
    Node node =
        reply instanceof List<?> list
                && list.size() == 2
                && list.get(0) instanceof String host
                && list.get(1) instanceof String port
            ? node(host, port)
            : null;
    if (node == null) {
      String why = "sentinel " + sentinel + " knows no primary named '" + master + "'";
      throw new LinkException(new Failure(Kind.DISCONNECTED, why));
    }
    return node;
  }

  private static @Nullable Node node(String host, String port) {
    try {
      return new Node(host, Integer.parseInt(port));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
