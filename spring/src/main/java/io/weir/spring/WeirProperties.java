package io.weir.spring;

import io.weir.OnFailure;
import io.weir.rules.http.HeaderStyle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * All properties. An unknown property stops the start.
 *
 * @param enabled Whether anything is limited. If false, there is no filter, and annotations have no
 *     effect.
 * @param rules Rules as text, in the form of a rules file: write it as a block with '|'.
 * @param rulesLocation Where rules are: files, directories and classpath resources. Files are
 *     reloaded when they change.
 * @param store Where buckets are kept: 'memory', or a URL such as 'redis://localhost:6379', which
 *     several instances may share.
 * @param storeTimeout How long a decision waits for a remote store.
 * @param maxKeys How many keys each rule keeps in this process.
 * @param failurePolicy What happens when the store is not available, for rules without
 *     'on_failure'.
 * @param limiters Limiters that are beans: their names, and limits such as '20 per hour'.
 * @param headers Which rate limit headers are sent.
 * @param trustedProxies Addresses and networks of proxies that are trusted to send X-Forwarded-For.
 * @param encodedSlashes Whether %2F may be in a path, as part of a name. Otherwise the response is
 *     400.
 * @param corsOrigins Web origins that may read refusals; '*' allows all.
 * @param principalAttribute The attribute name of the logged-in user in rules. Rules that use it
 *     are checked behind authentication, all others before it.
 * @param filter The filters.
 * @param annotations Methods that are limited by annotations.
 * @param actuator The actuator endpoint.
 */
@ConfigurationProperties(prefix = "weir", ignoreUnknownFields = false)
public record WeirProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String rules,
    @DefaultValue List<String> rulesLocation,
    @DefaultValue("memory") String store,
    @DefaultValue("10ms") Duration storeTimeout,
    @DefaultValue("10000000") long maxKeys,
    @DefaultValue("allow") OnFailure failurePolicy,
    @DefaultValue Map<String, String> limiters,
    @DefaultValue Headers headers,
    @DefaultValue List<String> trustedProxies,
    @DefaultValue("false") boolean encodedSlashes,
    @DefaultValue List<String> corsOrigins,
    @DefaultValue("principal") String principalAttribute,
    @DefaultValue Filter filter,
    @DefaultValue Annotations annotations,
    @DefaultValue Actuator actuator) {
  /** Stops the start if a number is invalid. */
  void require() {
    if (maxKeys < 1) {
      throw new MisconfiguredException(
          "'weir.max-keys' is " + maxKeys + ", so no key could be kept.",
          "Set it to 1 or more, or remove it.");
    }
    if (storeTimeout.isNegative() || storeTimeout.isZero()) {
      throw new MisconfiguredException(
          "'weir.store-timeout' is "
              + storeTimeout.toMillis()
              + " ms: no store responds that fast.",
          "Set it to more, such as '10ms', or remove it.");
    }
    filter.urlPatterns().forEach(Filter::require);
  }

  /**
   * Which rate limit headers are sent.
   *
   * @param families Which headers are sent. All of them unless set.
   * @param reset The unit of X-RateLimit-Reset.
   */
  public record Headers(
      @DefaultValue({"x-ratelimit", "ratelimit", "retry-after"}) Set<HeaderStyle.Family> families,
      @DefaultValue("epoch-seconds") HeaderStyle.Reset reset) {
    HeaderStyle style() {
      return new HeaderStyle(families, reset);
    }
  }

  /**
   * The filters.
   *
   * @param enabled Whether requests are limited by filters. If false, only methods are.
   * @param order The order of the filter before authentication: before Spring Security's (-100) by
   *     default.
   * @param principalOrder The order of the filter behind authentication.
   * @param urlPatterns Which paths the filters apply to, as servlet mappings. With WebFlux they
   *     apply to all paths.
   */
  public record Filter(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("-2147483548") int order,
      @DefaultValue("-90") int principalOrder,
      @DefaultValue("/*") List<String> urlPatterns) {
    /**
     * Rejects a pattern that a container takes for a single path or ignores, because all other
     * paths would be unlimited.
     */
    private static void require(String pattern) {
      boolean isMapping =
          pattern.matches("/([^*]+|([^*]*/)?\\*)") || pattern.matches("\\*\\.[^*/]+");
      if (!isMapping) {
        throw new MisconfiguredException(
            "'weir.filter.url-patterns' has '%s', which would limit almost no request."
                .formatted(pattern),
            "Write '/api/*' for all paths below /api, or '/*' for all; '**' is for the paths of"
                + " rules.");
      }
    }

    /** The order right before the filters. */
    int orderBefore() {
      return order == Integer.MIN_VALUE ? order : order - 1;
    }
  }

  /**
   * Methods that are limited by annotations.
   *
   * @param findUnused Whether the start looks for annotations in classes that are not beans, and
   *     logs a warning.
   */
  public record Annotations(@DefaultValue("true") boolean findUnused) {}

  /**
   * The actuator endpoint.
   *
   * @param revealKeys Whether the endpoint shows whole keys, such as addresses and user names,
   *     instead of only their ends.
   */
  public record Actuator(@DefaultValue("false") boolean revealKeys) {}
}
