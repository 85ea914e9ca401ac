package io.weir.bench.redis.node;

import java.util.Arrays;
import java.util.function.IntFunction;

/** Who can be measured. */
public enum Client {
  WEIR("weir", "Weir", WeirLibrary::new),
  BUCKET4J("bucket4j", "Bucket4j-Lettuce", port -> new Bucket4jLibrary(port, false)),
  BUCKET4J_BATCHING(
      "bucket4j-batching",
      "Bucket4j-Lettuce with batching",
      port -> new Bucket4jLibrary(port, true)),
  REDISSON("redisson", "Redisson", RedissonLibrary::new),
  SCRIPT("script", "bare script by Lettuce", port -> new LettuceLibrary(port, true)),
  GET("get", "GET by Lettuce", port -> new LettuceLibrary(port, false));

  private final String id;
  private final String label;
  private final IntFunction<Library> opener;

  Client(String id, String label, IntFunction<Library> opener) {
    this.id = id;
    this.label = label;
    this.opener = opener;
  }

  /** The name on the command line. */
  public String id() {
    return id;
  }

  /** The name in tables. */
  public String label() {
    return label;
  }

  /** Who is called {@code id}. */
  public static Client of(String id) {
    return Arrays.stream(values())
        .filter(client -> client.id.equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown contender '" + id + "'"));
  }

  Library connect(int port) {
    return opener.apply(port);
  }
}
