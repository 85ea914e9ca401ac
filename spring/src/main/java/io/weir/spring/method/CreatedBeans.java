package io.weir.spring.method;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Records which beans Spring creates, from before the first post-processor of beans on. An object
 * that a test puts in place of a bean, such as a mock, is registered and not created: it needs no
 * proxy. Thread-safe.
 */
public final class CreatedBeans implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    if (registry instanceof ConfigurableListableBeanFactory beans) {
      beans.addBeanPostProcessor(new Recorder());
    }
  }

  /** Whether Spring created a bean of this name. */
  boolean has(String beanName) {
    return names.contains(beanName);
  }

  /** Changes no bean. */
  private final class Recorder implements BeanPostProcessor {
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
      names.add(beanName);
      return bean;
    }
  }
}
