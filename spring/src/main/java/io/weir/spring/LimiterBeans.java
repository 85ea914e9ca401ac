package io.weir.spring;

import io.weir.RateLimiter;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Makes a bean of each limiter that is set by {@code weir.limiters}, called as it is there. */
final class LimiterBeans implements BeanDefinitionRegistryPostProcessor {
  private static final String SETTING = "weir.limiters";

  private final Map<String, String> limiters;

  LimiterBeans(Environment environment) {
    limiters =
        Binder.get(environment)
            .bind(SETTING, Bindable.mapOf(String.class, String.class))
            .orElse(Map.of());
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    limiters.forEach((name, limit) -> register(name, limit, registry));
  }

  private static void register(String name, String limit, BeanDefinitionRegistry registry) {
    if (registry.containsBeanDefinition(name)) {
      throw new MisconfiguredException(
          "'%s.%s' would be a bean '%s', and there is one already.".formatted(SETTING, name, name),
          "Give the limiter another name.");
    }
    RootBeanDefinition definition = new RootBeanDefinition(RateLimiter.class);
    definition.setInstanceSupplier(
        () -> open(((BeanFactory) registry).getBean(RateLimiters.class), name, limit));
    registry.registerBeanDefinition(name, definition);
  }

  private static RateLimiter open(RateLimiters limiters, String name, String limit) {
    try {
      return limiters.of(name, limit);
    } catch (IllegalArgumentException e) {
      throw new MisconfiguredException(
          "'%s.%s' is no limit: %s".formatted(SETTING, name, e.getMessage()),
          "Write a limit as rules have it, such as '20 per hour'.");
    }
  }
}
