package io.weir.spring.method;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Creates the proxies of beans with limited methods. */
public final class RateLimitedMethodPostProcessor
    extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private final transient RateLimitedMethods rateLimitedMethods;
  private final transient DefaultPointcutAdvisor guarding;
  private final Set<String> names = ConcurrentHashMap.newKeySet();

  public RateLimitedMethodPostProcessor(
      RateLimitedMethods rateLimitedMethods, RateLimitedMethodInterceptor interceptor) {
    this.rateLimitedMethods = rateLimitedMethods;
    setProxyTargetClass(true);
    setBeforeExistingAdvisors(true); // a refused call must not open a transaction
    this.guarding =
        new DefaultPointcutAdvisor(
            new StaticMethodMatcherPointcut() {
              @Override
              public boolean matches(Method method, Class<?> targetClass) {
                return rateLimitedMethods.of(method, targetClass).isPresent();
              }
            },
            interceptor);
    this.advisor = guarding;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof AopInfrastructureBean) { // such as the proxy of a scoped bean
      return bean;
    }
    rateLimitedMethods.requireProxyable(bean.getClass());
    Object guarded = super.postProcessAfterInitialization(bean, beanName);
    if (guarded instanceof Advised advised && !advised.isFrozen() && lacks(advised)) {
      advised.addAdvisor(0, guarding);
    }
    if (isGuarding(guarded)) {
      names.add(beanName);
    }
    return guarded;
  }

  /** Whether a bean of this name has our proxy, even if other proxies wrap it. */
  boolean hasGuarded(String beanName) {
    return names.contains(beanName);
  }

  /** A proxy, such as that of a repository, may have methods that its target lacks. */
  private boolean lacks(Advised proxy) {
    return !isGuarding(proxy)
        && Stream.of(proxy.getProxiedInterfaces())
            .anyMatch(each -> AopUtils.canApply(guarding.getPointcut(), each));
  }

  private boolean isGuarding(Object bean) {
    return bean instanceof Advised advised
        && Stream.of(advised.getAdvisors()).anyMatch(guarding::equals);
  }
}
