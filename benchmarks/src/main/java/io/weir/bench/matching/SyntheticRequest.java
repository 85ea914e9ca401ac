package io.weir.bench.matching;

import io.weir.rules.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request to which the same four rules of a {@link SyntheticRules} apply, whatever the client.
 */
record SyntheticRequest(String path, String ip, String user) implements Request {
  static final int DIFFERENT = 1024;

  static SyntheticRequest[] all() {
    SyntheticRequest[] all = new SyntheticRequest[DIFFERENT];
    for (int i = 0; i < DIFFERENT; i++) {
      all[i] =
          new SyntheticRequest("/api/v1/orders/" + (4711 + i), "203.0.113." + i % 250, "user-" + i);
    }
    return all;
  }

  @Override
  public @Nullable String attribute(String name) {
    return switch (name) {
      case "path" -> path;
      case "ip" -> ip;
      case "user" -> user;
      case "method" -> "GET";
      case "tier" -> "pro";
      case "region" -> "region-none";
      default -> null;
    };
  }
}
