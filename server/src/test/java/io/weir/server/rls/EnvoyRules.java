package io.weir.server.rls;

import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.withHits;

import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;

/** Rules in the format of envoyproxy/ratelimit, and calls with them. */
final class EnvoyRules {
  private EnvoyRules() {}

  static String limit(String key, String unit, long requests, String... more) {
    StringBuilder yaml = new StringBuilder("  - key: ").append(key).append('\n');
    yaml.append("    rate_limit: { unit: ").append(unit);
    yaml.append(", requests_per_unit: ").append(requests).append(" }\n");
    for (String line : more) {
      yaml.append("    ").append(line).append('\n');
    }
    return yaml.toString();
  }

  static String domain(String name, String... limits) {
    return "domain: " + name + "\ndescriptors:\n" + String.join("", limits);
  }

  static RateLimitDescriptor.Builder key(String key) {
    return descriptor(key, "value");
  }

  /** Brings a counter to {@code count}, in whichever way is in force. */
  static void bringTo(Rls rls, String key, long count) {
    if (count > 0) {
      rls.call("domain", withHits(key(key), count));
    }
  }
}
