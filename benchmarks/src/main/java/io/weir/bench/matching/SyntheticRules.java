package io.weir.bench.matching;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.ValueMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Rules of which the same four apply to every request of the benchmark, whatever their number. A
 * third each have conditions on paths, tiers and networks, and every fourth of them has a second
 * condition.
 */
final class SyntheticRules {
  private static final List<String> METHODS = List.of("GET", "POST", "PUT", "DELETE");
  private static final Limit LIMIT = Limit.tokenBucket(10).perSecond().burst(100);

  private SyntheticRules() {}

  /**
   * A domain of {@code size} rules; those that apply are at the start, at the end and in between.
   */
  static Domain of(int size) {
    List<Rule> rules = new ArrayList<>();
    rules.add(rule("order", Match.of(on("/api/v1/orders/{id}"), is("method", "GET")), "ip"));
    rules.add(rule("office", Match.of(in("203.0.113.0/24")), "ip"));
    for (int i = 0; rules.size() < size - 2; i++) {
      rules.add(rule("other-" + i, other(i), "user"));
    }
    rules.add(rule("pro", Match.of(is("tier", "pro"), on("/api/**")), "user"));
    rules.add(rule("everything", Match.EVERYTHING, "user"));
    return new Domain(Rule.DEFAULT_DOMAIN, Map.of(), rules);
  }

  private static Rule rule(String name, Match match, String per) {
    return Rule.named(name).match(match).per(per).limit(LIMIT).build();
  }

  private static Match other(int i) {
    Condition first =
        switch (i % 3) {
          case 0 -> path(i / 3);
          case 1 -> is("tier", "tier-" + i / 3);
          default -> network(i / 3);
        };
    return i % 4 != 0
        ? Match.of(first)
        : switch (i / 4 % 3) {
          case 0 -> Match.of(first, is("method", METHODS.get(i / 12 % METHODS.size())));
          case 1 -> Match.of(first, is("region", "region-" + i / 12 % 10));
          default -> Match.of(first, is("plan", "pro"));
        };
  }

  /** Near misses of the requested path, and unrelated paths. */
  private static Condition path(int i) {
    return on(
        switch (i % 4) {
          case 0 -> "/api/v1/orders-" + i + "/{id}";
          case 1 -> "/api/v1/orders/{id}/part-" + i;
          case 2 -> "/api/v" + (2 + i % 7) + "/resource-" + i + "/**";
          default -> "/site-" + i % 100 + "/*/page-" + i;
        });
  }

  /** Networks of several sizes, many of them nested, none of which contains the client. */
  private static Condition network(int i) {
    int high = i >> 8 & 0xff;
    int low = i & 0xff;
    return in(
        switch (i % 4) {
          case 0 -> "10." + high + "." + low + ".0/24";
          case 1 -> "10." + high + "." + low + ".128/25";
          case 2 -> "203.0." + (low == 113 ? 114 : low) + "." + high + "/32";
          default -> "2001:db8:" + Integer.toHexString(i) + "::/48";
        });
  }

  private static Condition is(String attribute, String value) {
    return Condition.of(attribute, new ValueMatcher.Is(value));
  }

  private static Condition on(String pattern) {
    return Condition.of("path", new ValueMatcher.OnPath(PathPattern.parse(pattern)));
  }

  private static Condition in(String network) {
    return Condition.of("ip", new ValueMatcher.InNetwork(Network.parse(network)));
  }
}
