package io.weir.spring;

import java.lang.reflect.Method;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Puts proxies before beans whose methods are limited. */
final class GuardPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private final transient Guards guards;

  GuardPostProcessor(Guards guards, GuardInterceptor interceptor) {
    this.guards = guards;
    setProxyTargetClass(true);
    setBeforeExistingAdvisors(true); // what is refused shall open no transaction
    this.advisor =
        new DefaultPointcutAdvisor(
            new StaticMethodMatcherPointcut() {
              @Override
              public boolean matches(Method method, Class<?> targetClass) {
                return guards.of(method, targetClass).isPresent();
              }
            },
            interceptor);
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    guards.requireProxyable(bean.getClass());
    return super.postProcessAfterInitialization(bean, beanName);
  }
}
