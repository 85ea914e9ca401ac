package io.weir.spring;

import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.rules.Request;
import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.runtime.Node;
import io.weir.spring.method.LimitParser;
import io.weir.spring.method.RuleLookup;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limiters for direct use by an application, with its configured store. Thread-safe.
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
   * @param limit {@code 5 per minute}, or any other form that a rules file allows
   * @throws IllegalArgumentException if it is not a limit, or if this name has another limit
   */
  public RateLimiter of(String name, String limit) {
    return of(name, LimitParser.parse(limit));
  }

  /** {@link #of(String, String)} with several limits, all of which must allow a request. */
  public RateLimiter of(String name, Limit first, Limit... more) {
    return of(name, Stream.concat(Stream.of(first), Arrays.stream(more)).toList());
  }

  private RateLimiter of(String name, List<Limit> limits) {
    RateLimiter limiter = known.computeIfAbsent(name, each -> open(each, limits));
    if (!limiter.limits().equals(limits)) {
      throw new IllegalArgumentException(
          "there is already a limiter '%s' with other limits: %s"
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
   * Charges one rule of the rules file. The filters charge it too, for requests that it matches. To
   * exclude it from filters, give it a {@code match} that no request has.
   *
   * @param rule its name; {@code domain/name} if several domains have it
   * @param attributes the attributes that its {@code per} and {@code match} use
   * @return the decision, see {@link RequestDecision#allowed}; already complete unless a remote
   *     store is queried
   * @throws IllegalArgumentException if there is no such rule
   */
  public CompletionStage<RequestDecision> check(String rule, Map<String, String> attributes) {
    Rule found = RuleLookup.find(rule, node.rules().rules());
    return node.decisionEngine().decide(new AttributeRequest(found, Map.copyOf(attributes)));
  }

  private record AttributeRequest(Rule rule, Map<String, String> attributes) implements Request {
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
