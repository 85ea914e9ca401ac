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
 * All that can be set. A property that is not known stops the start.
 *
 * @param enabled Whether anything is limited. Without, there is no filter, and annotations have no
 *     effect.
 * @param rules Rules as text, in the form of a rules file: write it as a block with '|'.
 * @param rulesLocation Where rules are: files, directories and classpath resources. What is a file
 *     is read again when it changes.
 * @param store Where buckets are kept: 'memory', or a URL such as 'redis://localhost:6379', which
 *     several instances may share.
 * @param storeTimeout How long a decision waits for a store elsewhere.
 * @param maxKeys How many callers each rule keeps apart in this process.
 * @param failurePolicy What holds when the store cannot be asked, for rules that do not say so
 *     themselves by 'on_failure'.
 * @param limiters Limiters that are beans: their names, and limits such as '20 per hour'.
 * @param headers Which headers tell of limits.
 * @param trustedProxies Addresses and networks of proxies whose X-Forwarded-For is believed.
 * @param encodedSlashes Whether %2F may be in a path, as part of a name. Otherwise it is answered
 *     by 400.
 * @param corsOrigins Web pages of which origins may read refusals; '*' lets all.
 * @param principalAttribute What rules call the name of the user who has logged in. Rules that use
 *     it are decided behind authentication, all others before it.
 * @param filter The filters.
 * @param annotations Methods that are limited by annotations.
 * @param actuator The actuator's endpoint.
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
  /** Stops the start where a number makes no sense. */
  void require() {
    if (maxKeys < 1) {
      throw new MisconfiguredException(
          "'weir.max-keys' is " + maxKeys + ", and no caller could be kept apart.",
          "Set it to 1 or more, or remove it.");
    }
    if (storeTimeout.isNegative() || storeTimeout.isZero()) {
      throw new MisconfiguredException(
          "'weir.store-timeout' is " + storeTimeout.toMillis() + " ms: no store is that quick.",
          "Set it to more, such as '10ms', or remove it.");
    }
    filter.urlPatterns().forEach(Filter::require);
  }

  /**
   * Which headers tell of limits.
   *
   * @param families Which headers are sent. All of them unless set.
   * @param reset What X-RateLimit-Reset counts.
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
   * @param enabled Whether requests are limited by filters. Without, only methods are.
   * @param order The place of the filter before authentication: before Spring Security's (-100) by
   *     default.
   * @param principalOrder The place of the filter behind authentication.
   * @param urlPatterns Which paths the filters are for, as servlet mappings. With WebFlux they are
   *     for all paths.
   */
  public record Filter(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("-2147483548") int order,
      @DefaultValue("-90") int principalOrder,
      @DefaultValue("/*") List<String> urlPatterns) {
    /** What a container takes for one path, or for nothing, would leave all others unlimited. */
    private static void require(String pattern) {
      boolean isMapping =
          pattern.matches("/([^*]+|([^*]*/)?\\*)") || pattern.matches("\\*\\.[^*/]+");
      if (!isMapping) {
        throw new MisconfiguredException(
            "'weir.filter.url-patterns' has '%s', by which hardly a request would be limited."
                .formatted(pattern),
            "Write '/api/*' for all paths below /api, or '/*' for all; '**' is for the paths of"
                + " rules.");
      }
    }

    /** The place right before the filters. */
    int orderBefore() {
      return order == Integer.MIN_VALUE ? order : order - 1;
    }
  }

  /**
   * Methods that are limited by annotations.
   *
   * @param findUnused Whether the start looks for annotations in classes that are no beans, and
   *     warns of them.
   */
  public record Annotations(@DefaultValue("true") boolean findUnused) {}

  /**
   * The actuator's endpoint.
   *
   * @param revealKeys Whether the endpoint tells whole keys, such as addresses and names of users,
   *     and not only their ends.
   */
  public record Actuator(@DefaultValue("false") boolean revealKeys) {}
}
