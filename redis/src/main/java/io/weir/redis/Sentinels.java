package io.weir.redis;

import io.weir.redis.RedisFailure.Kind;
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
 * <p>Sentinels are called one after the other until one knows the primary. A sentinel that named a
 * server which is not the primary is called last the next time, because sentinels may disagree
 * during a failover.
 */
// Futures are ignored where their failure is handled in the chain itself.
@SuppressWarnings("FutureReturnValueIgnored")
final class Sentinels {
  private final RedisConnector redisConnector;
  private final String master;
  private final List<Node> order;

  Sentinels(RedisConnector redisConnector, List<Node> nodes, String master) {
    this.redisConnector = redisConnector;
    this.master = master;
    this.order = new ArrayList<>(nodes);
  }

  /** The address of the primary, from the first sentinel that replies. */
  CompletionStage<Node> primary() {
    return whereFrom(0, new RedisFailure(Kind.DISCONNECTED, "no sentinel"));
  }

  /** A connection to the primary. */
  CompletionStage<RespConnection> dialPrimary() {
    return primary()
        .thenCompose(redisConnector::dial)
        .whenComplete(
            (respConnection, error) -> {
              if (error != null) {
                rotate();
              }
            });
  }

  /** A connection to a sentinel that will announce new primaries. */
  CompletionStage<RespConnection> dialWatch() {
    Node sentinel = first();
    return redisConnector
        .dialSentinel(sentinel)
        .thenCompose(
            respConnection ->
                redisConnector
                    .execute(respConnection, "SUBSCRIBE", "+switch-master")
                    .thenApply(reply -> subscribed(respConnection, sentinel, reply)))
        .whenComplete(
            (respConnection, error) -> {
              if (error != null) {
                rotate();
              }
            });
  }

  private static RespConnection subscribed(
      RespConnection respConnection, Node sentinel, @Nullable Object reply) {
    if (reply instanceof ErrorReply error) {
      RedisFailure said = error.redisFailure();
      RedisFailure why =
          new RedisFailure(said.kind(), "sentinel " + sentinel + " says: " + said.message());
      respConnection.close(why);
      throw new TransportException(why);
    }
    return respConnection;
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

  private CompletionStage<Node> whereFrom(int index, RedisFailure before) {
    Node sentinel = at(index);
    if (sentinel == null) {
      return CompletableFuture.failedFuture(new TransportException(before));
    }
    CompletableFuture<Node> found = new CompletableFuture<>();
    queryPrimary(sentinel)
        .whenComplete(
            (node, error) -> {
              if (error == null) {
                found.complete(node);
                return;
              }
              RedisFailure redisFailure = RedisConnector.failure("sentinel " + sentinel, error);
              whereFrom(index + 1, redisFailure)
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

  private CompletionStage<Node> queryPrimary(Node sentinel) {
    return redisConnector
        .dialSentinel(sentinel)
        .thenCompose(
            respConnection ->
                redisConnector
                    .execute(respConnection, "SENTINEL", "get-master-addr-by-name", master)
                    .whenComplete(
                        (reply, error) ->
                            respConnection.close(new RedisFailure(Kind.DISCONNECTED, "asked")))
                    .thenApply(reply -> primary(sentinel, reply)));
  }

  private Node primary(Node sentinel, @Nullable Object reply) {
    if (reply instanceof ErrorReply error) {
      RedisFailure said = error.redisFailure();
      throw new TransportException(
          new RedisFailure(said.kind(), "sentinel " + sentinel + " says: " + said.message()));
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
      throw new TransportException(new RedisFailure(Kind.DISCONNECTED, why));
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
