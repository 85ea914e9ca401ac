package io.weir.spring;

import io.weir.node.Node;
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
  static GuardInterceptor weirGuardInterceptor(
      Guards guards,
      @Qualifier("weirNode") ObjectProvider<Node> node,
      ObjectProvider<WeirProperties> properties,
      @Qualifier("applicationTaskExecutor") ObjectProvider<Executor> executor) {
    return new GuardInterceptor(
        guards,
        node::getObject,
        () -> properties.getObject().headers().style(),
        () -> executor.getIfAvailable(ForkJoinPool::commonPool));
  }

  /** Suppliers, so that nothing is created before the first annotation is found. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static Guards weirGuards(
      @Qualifier("weirNode") ObjectProvider<Node> node,
      ObjectProvider<MethodRules> methods,
      ObjectProvider<WeirProperties> properties) {
    return new Guards(node::getObject, methods::getObject, properties::getObject);
  }

  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static GuardPostProcessor weirGuardPostProcessor(Guards guards, GuardInterceptor interceptor) {
    return new GuardPostProcessor(guards, interceptor);
  }

  @Bean
  GuardedBeans weirGuardedBeans(
      Guards guards, GuardPostProcessor processor, ConfigurableListableBeanFactory beans) {
    return new GuardedBeans(guards, processor, beans);
  }

  @Bean
  @ConditionalOnProperty(
      prefix = "weir.annotations",
      name = "find-unused",
      havingValue = "true",
      matchIfMissing = true)
  UnusedAnnotations weirUnusedAnnotations(ConfigurableListableBeanFactory beans) {
    return new UnusedAnnotations(beans);
  }
}
