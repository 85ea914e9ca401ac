package io.weir.spring.diagnostics;

import io.weir.rules.Rule;
import io.weir.spring.MisconfiguredException;
import io.weir.spring.WeirProperties;
import java.util.List;
import java.util.stream.Collectors;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Checks that filters and servers around Weir let rules work as written. */
public final class EnvironmentChecks {
  private static final System.Logger LOG = System.getLogger("io.weir.spring");
  private static final int USUAL_ORDER = -100;
  private static final String OF_SERVLETS = "springSecurityFilterChain";
  private static final String OF_WEBFLUX =
      "org.springframework.security.web.server.WebFilterChainProxy";

  /** The name of a bean in the auto-configuration for servlets and in the one for WebFlux. */
  private static final String FILTER = "weirFilter";

  private static final String ONLY_OF_WEBFLUX = "weirReceived";
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

  public EnvironmentChecks(ApplicationContext context, WeirProperties properties) {
    this.context = context;
    this.environment = context.getEnvironment();
    this.properties = properties;
  }

  /**
   * Rules by user limit nothing if no filter finds the user.
   *
   * @param rules those that need the logged-in user
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
                      + " is no Spring Security: without such a filter those per '%s' limit nothing")
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
          "Rules by '%s' (%s) would not see the logged-in user: 'weir.filter.principal-order' is %d, which is not behind Spring Security (%d)."
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
   * Behind an unknown proxy, all clients have one address.
   *
   * @param rules those that use the address
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
          "Rules by 'ip' (%s) would trust any address that a client sends: the server takes addresses from X-Forwarded-For of any client."
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
          "Rules by 'ip' (%s) need to know which proxies to trust: '%s=%s' trusts X-Forwarded-For of any client, and 'weir.trusted-proxies' is not set."
              .formatted(names(rules), STRATEGY, strategy),
          "Set 'weir.trusted-proxies' to the addresses of the proxies before the application, such"
              + " as '10.0.0.0/8', or remove '"
              + STRATEGY
              + "' if there are none.");
    }
    if (isByPlatform && isReactive()) {
      LOG.log(
          System.Logger.Level.WARNING,
          () ->
              "rules by 'ip' (%s) see all clients of a proxy as one: on %s set 'weir.trusted-proxies' to the addresses of the proxies before the application"
                  .formatted(names(rules), CloudPlatform.getActive(environment)));
    }
  }

  private boolean isPlatformForwarding() {
    CloudPlatform platform = CloudPlatform.getActive(environment);
    return platform != null && platform.isUsingForwardHeaders();
  }

  /** Tomcat's own mechanism, {@code native} for servlets, has its own list of trusted proxies. */
  private boolean isReplaced(String strategy) {
    return strategy.equalsIgnoreCase("framework")
        || (strategy.equalsIgnoreCase("native") && isReactive());
  }

  private boolean isReactive() {
    return context.containsBean(ONLY_OF_WEBFLUX);
  }

  /** Whether Weir's filters are there, for servlets or WebFlux. */
  boolean hasFilters() {
    return context.containsBean(FILTER);
  }

  /** What requests go through, for the log. */
  String filters() {
    if (!hasFilters()) {
      return "no filter";
    }
    WeirProperties.Filter filter = properties.filter();
    return isReactive()
        ? "WebFlux filters at %d and %d".formatted(filter.order(), filter.principalOrder())
        : "servlet filters on %s at %d and %d"
            .formatted(
                String.join(", ", filter.urlPatterns()), filter.order(), filter.principalOrder());
  }

  private static String names(List<Rule> rules) {
    return rules.stream().map(Rule::name).collect(Collectors.joining(", "));
  }
}
