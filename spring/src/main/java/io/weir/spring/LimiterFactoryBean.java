package io.weir.spring;

import io.weir.RateLimiter;
import org.springframework.beans.factory.FactoryBean;

/** Creates the limiter of one setting, at the start. */
final class LimiterFactoryBean implements FactoryBean<RateLimiter> {
  private final RateLimiter limiter;

  LimiterFactoryBean(RateLimiters limiters, WeirProperties properties, String name) {
    String limit = properties.limiters().get(name);
    if (limit == null) {
      throw new MisconfiguredException(
          "'%s.%s' was set when the application was built ahead of time, but is not set now."
              .formatted(LimiterBeanRegistrar.SETTING, name),
          "Set it, or build the application again.");
    }
    try {
      this.limiter = limiters.of(name, limit);
    } catch (IllegalArgumentException e) {
      throw new MisconfiguredException(
          "'%s.%s' is not a limit: %s"
              .formatted(LimiterBeanRegistrar.SETTING, name, e.getMessage()),
          "Write a limit as in a rules file, such as '20 per hour'.");
    }
  }

  @Override
  public RateLimiter getObject() {
    return limiter;
  }

  @Override
  public Class<?> getObjectType() {
    return RateLimiter.class;
  }
}
