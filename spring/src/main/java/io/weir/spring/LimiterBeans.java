package io.weir.spring;

import java.util.Map;
import org.springframework.beans.factory.config.ConstructorArgumentValues;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Makes a bean of each limiter that is set by {@code weir.limiters}, called as it is there. */
final class LimiterBeans implements BeanDefinitionRegistryPostProcessor {
  static final String SETTING = "weir.limiters";

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
      if (LimiterFactory.class
          .getName()
          .equals(registry.getBeanDefinition(name).getBeanClassName())) {
        return; // made ahead of time
      }
      throw new MisconfiguredException(
          "'%s.%s' would be a bean '%s', and there is one already.".formatted(SETTING, name, name),
          "Give the limiter another name.");
    }
    RootBeanDefinition definition = new RootBeanDefinition(LimiterFactory.class);
    ConstructorArgumentValues arguments = definition.getConstructorArgumentValues();
    arguments.addIndexedArgumentValue(0, new RuntimeBeanReference(RateLimiters.class));
    arguments.addIndexedArgumentValue(1, name);
    arguments.addIndexedArgumentValue(2, limit);
    registry.registerBeanDefinition(name, definition);
  }
}
