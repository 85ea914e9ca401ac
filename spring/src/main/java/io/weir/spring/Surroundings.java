package io.weir.spring;

import io.weir.rules.Rule;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Whether what an application has around its filters lets rules do what they say. */
final class Surroundings {
  private static final System.Logger LOG = System.getLogger("io.weir.spring");
  private static final int USUAL_ORDER = -100;
  private static final String OF_SERVLETS = "springSecurityFilterChain";
  private static final String OF_WEBFLUX =
      "org.springframework.security.web.server.WebFilterChainProxy";
  private static final String STRATEGY = "server.forward-headers-strategy";
  private static final List<String> BELIEVING =
      List.of(
          "org.springframework.boot.web.embedded.jetty.JettyServletWebServerFactory",
          "org.springframework.boot.jetty.servlet.JettyServletWebServerFactory",
          "org.springframework.boot.web.embedded.undertow.UndertowServletWebServerFactory",
          "org.springframework.boot.web.embedded.jetty.JettyReactiveWebServerFactory",
          "org.springframework.boot.jetty.reactive.JettyReactiveWebServerFactory",
          "org.springframework.boot.web.embedded.undertow.UndertowReactiveWebServerFactory");

  private final ApplicationContext context;
  private final Environment environment;
  private final WeirProperties properties;

  Surroundings(ApplicationContext context, WeirProperties properties) {
    this.context = context;
    this.environment = context.getEnvironment();
    this.properties = properties;
  }

  /**
   * Rules by user limit nobody where nobody is known.
   *
   * @param rules those that need to know who has logged in
   */
  void requireUsers(List<Rule> rules) {
    if (rules.isEmpty()) {
      return;
    }
    if (!hasSecurity()) {
      LOG.log(
          System.Logger.Level.WARNING,
          () ->
              ("rules by '%s' (%s) know only users that a filter before %d has logged in, and there"
                      + " is no Spring Security: without such a filter those per '%s' limit nobody")
                  .formatted(
                      properties.principalAttribute(),
                      names(rules),
                      properties.filter().principalOrder(),
                      properties.principalAttribute()));
      return;
    }
    int order = environment.getProperty("spring.security.filter.order", int.class, USUAL_ORDER);
    if (properties.filter().principalOrder() <= order) {
      throw new MisconfiguredException(
          "Rules by '%s' (%s) would not know who has logged in: 'weir.filter.principal-order' is %d, which is not behind Spring Security (%d)."
              .formatted(
                  properties.principalAttribute(),
                  names(rules),
                  properties.filter().principalOrder(),
                  order),
          "Remove 'weir.filter.principal-order', or set it to more than %d.".formatted(order));
    }
  }

  private boolean hasSecurity() {
    return context.containsBean(OF_SERVLETS) || hasBean(OF_WEBFLUX);
  }

  private boolean hasBean(String type) {
    ClassLoader classes = context.getClassLoader();
    return ClassUtils.isPresent(type, classes)
        && context.getBeanNamesForType(ClassUtils.resolveClassName(type, classes), false, false)
                .length
            > 0;
  }

  /**
   * Behind a proxy that is not known, all clients have one address.
   *
   * @param rules those that speak of the address
   */
  void requireTrust(List<Rule> rules) {
    String strategy = environment.getProperty(STRATEGY, "");
    if (rules.isEmpty()) {
      return;
    }
    boolean isByPlatform = strategy.isEmpty() && isPlatformForwarding();
    if ((isByPlatform || strategy.equalsIgnoreCase("native"))
        && BELIEVING.stream().anyMatch(this::hasBean)) {
      throw new MisconfiguredException(
          "Rules by 'ip' (%s) would believe whatever address a client sends: the server replaces addresses by X-Forwarded-For of everybody."
              .formatted(names(rules)),
          "Set '"
              + STRATEGY
              + "=none', and 'weir.trusted-proxies' to the addresses of the proxies before the"
              + " application.");
    }
    if (!properties.trustedProxies().isEmpty()) {
      return;
    }
    if (isReplaced(strategy)) {
      throw new MisconfiguredException(
          "Rules by 'ip' (%s) need to know whose X-Forwarded-For is true: '%s=%s' believes everybody, and 'weir.trusted-proxies' is not set."
              .formatted(names(rules), STRATEGY, strategy),
          "Set 'weir.trusted-proxies' to the addresses of the proxies before the application, such as"
              + " '10.0.0.0/8', or remove '"
              + STRATEGY
              + "' if there are none.");
    }
    if (isByPlatform && isReactive()) {
      LOG.log(
          System.Logger.Level.WARNING,
          () ->
              "rules by 'ip' (%s) take all clients of a proxy for one: on %s set 'weir.trusted-proxies' to the addresses of the proxies before the application"
                  .formatted(names(rules), CloudPlatform.getActive(environment)));
    }
  }

  private boolean isPlatformForwarding() {
    CloudPlatform platform = CloudPlatform.getActive(environment);
    return platform != null && platform.isUsingForwardHeaders();
  }

  /** Tomcat's own way, that of servlets by 'native', knows which proxies to believe. */
  private boolean isReplaced(String strategy) {
    return strategy.equalsIgnoreCase("framework")
        || (strategy.equalsIgnoreCase("native") && isReactive());
  }

  private boolean isReactive() {
    return context.containsBean("weirWebFluxFront");
  }

  private static String names(List<Rule> rules) {
    return rules.stream().map(Rule::name).collect(Collectors.joining(", "));
  }
}
