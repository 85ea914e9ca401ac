package io.weir.spring;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.node.Node;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limiters for an application that asks by itself, with the store that it is set up with.
 *
 * <pre>{@code
 * @Bean
 * RateLimiter mails(RateLimiters limiters) {
 *   return limiters.of("mails", "20 per hour");
 * }
 * }</pre>
 */
public final class RateLimiters {
  private final Node node;
  private final long maxKeys;
  private final OnFailure onFailure;
  private final Map<String, RateLimiter> known = new ConcurrentHashMap<>();

  RateLimiters(Node node, WeirProperties properties) {
    this.node = node;
    this.maxKeys = properties.maxKeys();
    this.onFailure = properties.failurePolicy();
  }

  /**
   * The limiter of this name, the same each time.
   *
   * @param name by which all instances that share a store find its buckets
   * @param limit {@code 5 per minute}, or what else a rules file may have there
   * @throws IllegalArgumentException if it is no limit, or if one of this name has another
   */
  public RateLimiter of(String name, String limit) {
    return of(name, LimitText.parse(limit));
  }

  /** {@link #of(String, String)} with limits that hold together. */
  public RateLimiter of(String name, Limit first, Limit... more) {
    return of(name, Stream.concat(Stream.of(first), Arrays.stream(more)).toList());
  }

  private RateLimiter of(String name, List<Limit> limits) {
    RateLimiter limiter = known.computeIfAbsent(name, each -> open(each, limits));
    if (!limiter.limits().equals(limits)) {
      throw new IllegalArgumentException(
          "there is a limiter '%s' already, with other limits: %s"
              .formatted(name, limiter.limits()));
    }
    return limiter;
  }

  private RateLimiter open(String name, List<Limit> limits) {
    RateLimiter.Builder builder =
        RateLimiter.builder()
            .name("application:" + name)
            .store(node.store())
            .maxKeys(maxKeys)
            .onFailure(onFailure);
    limits.forEach(builder::limit);
    return builder.build();
  }

  /**
   * Charges one rule of the rules file. The filters charge it too, for requests that it matches: a
   * rule that is only for this has a {@code match} by something that no request has.
   *
   * @param rule its name; {@code domain/name} where several domains have it
   * @param attributes what its {@code per} and {@code match} speak of
   * @return what it says: see {@link Ruling#allowed}; complete at once if no store elsewhere has to
   *     be asked
   * @throws IllegalArgumentException if there is no such rule
   */
  public CompletionStage<Ruling> check(String rule, Map<String, String> attributes) {
    Rule found = RuleNames.find(rule, node.rules().rules());
    return node.arbiter().decide(new Asked(found, Map.copyOf(attributes)));
  }

  private record Asked(Rule rule, Map<String, String> attributes) implements Request {
    @Override
    public @Nullable String attribute(String name) {
      return attributes.get(name);
    }

    @Override
    public boolean concerns(Rule each) {
      return each.name().equals(rule.name()) && each.domain().equals(rule.domain());
    }
  }
}
