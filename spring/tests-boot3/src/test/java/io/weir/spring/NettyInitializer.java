package io.weir.spring;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;

/** Runs WebFlux on Netty, even if Tomcat is on the class path. */
record NettyInitializer(WebApplicationType type)
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {
  private static final String IN_BOOT_3 =
      "org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory";
  private static final String IN_BOOT_4 =
      "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory";

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    if (type == WebApplicationType.REACTIVE) {
      String name = ClassUtils.isPresent(IN_BOOT_4, null) ? IN_BOOT_4 : IN_BOOT_3;
      ((GenericApplicationContext) context)
          .registerBean("netty", ClassUtils.resolveClassName(name, null));
    }
  }
}
