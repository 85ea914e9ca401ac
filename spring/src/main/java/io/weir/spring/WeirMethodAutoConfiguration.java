package io.weir.spring;

import io.weir.runtime.Node;
import io.weir.spring.diagnostics.UnusedAnnotationCheck;
import io.weir.spring.method.CreatedBeans;
import io.weir.spring.method.MethodRules;
import io.weir.spring.method.RateLimitedBeans;
import io.weir.spring.method.RateLimitedMethodInterceptor;
import io.weir.spring.method.RateLimitedMethodPostProcessor;
import io.weir.spring.method.RateLimitedMethods;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Auto-configuration of {@link RateLimited}. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
public class WeirMethodAutoConfiguration {
  /** Created by Spring. */
  WeirMethodAutoConfiguration() {}

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitedMethodInterceptor weirGuardInterceptor(
      RateLimitedMethods rateLimitedMethods,
      @Qualifier("weirNode") ObjectProvider<Node> node,
      ObjectProvider<WeirProperties> properties,
      @Qualifier("applicationTaskExecutor") ObjectProvider<Executor> executor) {
    return new RateLimitedMethodInterceptor(
        rateLimitedMethods,
        node::getObject,
        () -> properties.getObject().headers().style(),
        () -> executor.getIfAvailable(ForkJoinPool::commonPool));
  }

  /** Suppliers, so that nothing is created before the first annotation is found. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitedMethods weirGuards(
      @Qualifier("weirNode") ObjectProvider<Node> node,
      ObjectProvider<MethodRules> methods,
      ObjectProvider<WeirProperties> properties) {
    return new RateLimitedMethods(node::getObject, methods::getObject, properties::getObject);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitedMethodPostProcessor weirGuardPostProcessor(
      RateLimitedMethods rateLimitedMethods, RateLimitedMethodInterceptor interceptor) {
    return new RateLimitedMethodPostProcessor(rateLimitedMethods, interceptor);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static CreatedBeans weirCreatedBeans() {
    return new CreatedBeans();
  }

  @Bean
  RateLimitedBeans weirGuardedBeans(
      RateLimitedMethods rateLimitedMethods,
      RateLimitedMethodPostProcessor processor,
      CreatedBeans createdBeans,
      ConfigurableListableBeanFactory beans) {
    return new RateLimitedBeans(rateLimitedMethods, processor, createdBeans, beans);
  }

  @Bean
  @ConditionalOnProperty(
      prefix = "weir.annotations",
      name = "find-unused",
      havingValue = "true",
      matchIfMissing = true)
  UnusedAnnotationCheck weirUnusedAnnotations(ConfigurableListableBeanFactory beans) {
    return new UnusedAnnotationCheck(beans);
  }
}
