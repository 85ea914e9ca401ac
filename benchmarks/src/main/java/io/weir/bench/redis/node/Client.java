package io.weir.bench.redis.node;

import io.weir.Consistency;
import io.weir.bench.cli.Choice;
import java.util.Arrays;

/** The contenders. */
public enum Client implements Choice {
  WEIR("weir", "Weir", WeirLibrary::new),
  LEASED(
      "leased",
      "Weir, leased",
      (port, settings) -> new WeirLibrary(port, settings, Consistency.LEASED)),
  EVENTUAL(
      "eventual",
      "Weir, eventual",
      (port, settings) -> new WeirLibrary(port, settings, Consistency.EVENTUAL)),
  STRICT(
      "strict",
      "Weir, strict",
      (port, settings) -> new WeirLibrary(port, settings, Consistency.STRICT)),
  BUCKET4J("bucket4j", "Bucket4j-Lettuce", (port, settings) -> new Bucket4jLibrary(port, false)),
  BUCKET4J_BATCHING(
      "bucket4j-batching",
      "Bucket4j-Lettuce with batching",
      (port, settings) -> new Bucket4jLibrary(port, true)),
  REDISSON("redisson", "Redisson", (port, settings) -> new RedissonLibrary(port)),
  SCRIPT("script", "bare script by Lettuce", (port, settings) -> new LettuceLibrary(port, true)),
  GET("get", "GET by Lettuce", (port, settings) -> new LettuceLibrary(port, false));

  private final String id;
  private final String label;
  private final Opener opener;

  Client(String id, String label, Opener opener) {
    this.id = id;
    this.label = label;
    this.opener = opener;
  }

  @Override
  public String id() {
    return id;
  }

  /** The name in tables. */
  public String label() {
    return label;
  }

  /**
   * Those compared with each other by default: Weir with its default consistency, and the peers.
   */
  public static Client[] contenders() {
    return Arrays.stream(values())
        .filter(client -> client != LEASED && client != EVENTUAL && client != STRICT)
        .toArray(Client[]::new);
  }

  /** The client with this {@code id}. */
  public static Client of(String id) {
    return Choice.of(values(), "contender", id);
  }

  /**
   * Connects to the Redis at {@code port}.
   *
   * @param settings parameters of Weir's URL; others have none
   */
  Library connect(int port, String settings) {
    return opener.connect(port, settings);
  }

  private interface Opener {
    Library connect(int port, String settings);
  }
}
