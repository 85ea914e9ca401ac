package io.weir.spring;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks at the start for beans whose methods are to be limited: those that nobody has asked for yet
 * too, so that their mistakes are told now, and their rules are no filter's until then. One that is
 * there already and that no proxy stands before stops the start.
 */
final class GuardedBeans {
  private final Guards guards;
  private final GuardPostProcessor processor;
  private final ConfigurableListableBeanFactory beans;

  GuardedBeans(Guards guards, GuardPostProcessor processor, ConfigurableListableBeanFactory beans) {
    this.guards = guards;
    this.processor = processor;
    this.beans = beans;
  }

  /** Looks through all beans, and makes none. */
  void require() {
    for (String name : beans.getBeanDefinitionNames()) {
      Object made = beans.getSingleton(name);
      boolean isMade = made != null && !(made instanceof FactoryBean<?>);
      Class<?> type = isMade ? AopProxyUtils.ultimateTargetClass(made) : beans.getType(name, false);
      if (type != null && (isMade || !type.isInterface()) && guards.isGuarded(type)) {
        guards.requireProxyable(type);
        if (isMade && !processor.hasGuarded(name) && !Mocks.isMock(made)) {
          throw unguarded(name, type);
        }
      }
    }
  }

  private static MisconfiguredException unguarded(String name, Class<?> type) {
    return new MisconfiguredException(
        "@RateLimited on %s could have no effect: the bean '%s' was made before Spring could put a proxy before it."
            .formatted(type.getName(), name),
        "Something that Spring makes first, such as a BeanPostProcessor or a"
            + " BeanFactoryPostProcessor, asks for the bean: let it ask later, by an ObjectProvider"
            + " or @Lazy, or move the annotation to another bean.");
  }
}
