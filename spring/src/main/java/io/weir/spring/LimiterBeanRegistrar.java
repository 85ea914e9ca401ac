package io.weir.spring;

import io.weir.RateLimiter;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConstructorArgumentValues;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Registers a bean for each limiter in {@code weir.limiters}, under the same name. */
final class LimiterBeanRegistrar implements BeanDefinitionRegistryPostProcessor {
  static final String SETTING = "weir.limiters";

  private final Set<String> names;

  LimiterBeanRegistrar(Environment environment) {
    names =
        Binder.get(environment)
            .bind(SETTING, Bindable.mapOf(String.class, String.class))
            .orElse(Map.of())
            .keySet();
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    names.forEach(name -> register(name, registry));
  }

  private static void register(String name, BeanDefinitionRegistry registry) {
    if (registry.containsBeanDefinition(name)) {
      if (LimiterFactoryBean.class
          .getName()
          .equals(registry.getBeanDefinition(name).getBeanClassName())) {
        return; // registered ahead of time; its limit is read at run time
      }
      throw new MisconfiguredException(
          "'%s.%s' would be a bean '%s', but there is one already.".formatted(SETTING, name, name),
          "Give the limiter another name.");
    }
    RootBeanDefinition definition = new RootBeanDefinition(LimiterFactoryBean.class);
    ConstructorArgumentValues arguments = definition.getConstructorArgumentValues();
    arguments.addIndexedArgumentValue(0, new RuntimeBeanReference(RateLimiters.class));
    arguments.addIndexedArgumentValue(1, new RuntimeBeanReference(WeirProperties.class));
    arguments.addIndexedArgumentValue(2, name);
    // Otherwise the first lookup by type would create it and all its dependencies.
    definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, RateLimiter.class);
    registry.registerBeanDefinition(name, definition);
  }
}
