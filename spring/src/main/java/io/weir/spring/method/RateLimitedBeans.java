package io.weir.spring.method;

import io.weir.spring.MisconfiguredException;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Checks all beans with limited methods at the start, including lazy ones. So mistakes are reported
 * at once, and no filter checks the rules of methods before the first call. A limited bean created
 * without our proxy stops the start.
 */
public final class RateLimitedBeans {
  private final RateLimitedMethods rateLimitedMethods;
  private final RateLimitedMethodPostProcessor processor;
  private final CreatedBeans createdBeans;
  private final ConfigurableListableBeanFactory beans;

  public RateLimitedBeans(
      RateLimitedMethods rateLimitedMethods,
      RateLimitedMethodPostProcessor processor,
      CreatedBeans createdBeans,
      ConfigurableListableBeanFactory beans) {
    this.rateLimitedMethods = rateLimitedMethods;
    this.processor = processor;
    this.createdBeans = createdBeans;
    this.beans = beans;
  }

  /** Inspects all beans without creating any. */
  public void require() {
    for (String name : beans.getBeanDefinitionNames()) {
      Object made = beans.getSingleton(name);
      boolean isMade = made != null && !(made instanceof FactoryBean<?>);
      Class<?> type = isMade ? AopProxyUtils.ultimateTargetClass(made) : beans.getType(name, false);
      if (type != null && (isMade || !type.isInterface()) && rateLimitedMethods.isGuarded(type)) {
        rateLimitedMethods.requireProxyable(type);
        if (isMade && createdBeans.has(name) && !processor.hasGuarded(name)) {
          throw unguarded(name, type);
        }
      }
    }
  }

  private static MisconfiguredException unguarded(String name, Class<?> type) {
    return new MisconfiguredException(
        "@RateLimited on %s would have no effect: the bean '%s' was created before Spring could create a proxy for it."
            .formatted(type.getName(), name),
        "A bean that Spring creates early, such as a BeanPostProcessor or a"
            + " BeanFactoryPostProcessor, depends on it: inject it with an ObjectProvider"
            + " or @Lazy, or move the annotation to another bean.");
  }
}
