package io.weir.spring;

import io.weir.TimeSource;
import io.weir.decision.RuleSource;
import io.weir.insight.Insights;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleInputs;
import io.weir.runtime.Node;
import io.weir.spring.diagnostics.EnvironmentChecks;
import io.weir.spring.diagnostics.StartupReport;
import io.weir.spring.diagnostics.UnknownPropertyCheck;
import io.weir.spring.method.MethodRules;
import io.weir.spring.method.RateLimitedBeans;
import io.weir.spring.web.Phases;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Auto-configuration of rules, store and decision path, which all other parts use. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
public class WeirAutoConfiguration {
  /** Created by Spring. */
  WeirAutoConfiguration() {}

  /** The source of rules; closed with the node. */
  @Bean(destroyMethod = "")
  RuleSource weirRuleFeed(WeirProperties properties, ApplicationContext context) {
    if (context.getEnvironment() instanceof ConfigurableEnvironment environment) {
      UnknownPropertyCheck.check(environment);
    }
    properties.require();
    ClassLoader classes = context.getClassLoader();
    RuleInputs sources =
        RuleLocations.of(
            properties, classes == null ? ClassUtils.getDefaultClassLoader() : classes);
    return sources.paths().isEmpty() && sources.inlineRules().isEmpty()
        ? RuleSource.of(RuleSet.of(List.of()))
        : RuleSource.of(sources);
  }

  /** The top refused callers, for the actuator endpoint and the log; closed with the node. */
  @Bean(destroyMethod = "")
  Insights weirInsights() {
    return Insights.ofThrottledCallers();
  }

  /** The decision path with its rules and store. */
  @Bean(destroyMethod = "close")
  Node weirNode(
      @Qualifier("weirRuleFeed") RuleSource feed,
      WeirProperties properties,
      @Qualifier("weirInsights") Insights insights,
      ObjectProvider<TimeSource> time) {
    try {
      return Node.builder(feed)
          .time(time.getIfUnique(TimeSource::system))
          .store(properties.store())
          .storeTimeout(properties.storeTimeout())
          .maxKeys(properties.maxKeys())
          .observer(insights)
          .open();
    } catch (IllegalArgumentException e) {
      throw new MisconfiguredException(
          "The store of Weir cannot be opened: " + e.getMessage(),
          "Correct 'weir.store': 'memory', or a URL such as 'redis://localhost:6379'.");
    }
  }

  /** The limiters that are beans. */
  @Bean
  static LimiterBeanRegistrar weirLimiterBeans(Environment environment) {
    return new LimiterBeanRegistrar(environment);
  }

  @Bean
  MethodRules weirMethodRules(@Qualifier("weirRuleFeed") RuleSource feed) {
    return new MethodRules(feed);
  }

  @Bean
  Phases weirPhases(
      @Qualifier("weirNode") Node node, MethodRules methods, WeirProperties properties) {
    return new Phases(node, methods, properties.principalAttribute());
  }

  /** Limiters for direct use. */
  @Bean
  @ConditionalOnMissingBean
  RateLimiters rateLimiters(@Qualifier("weirNode") Node node, WeirProperties properties) {
    return new RateLimiters(node, properties);
  }

  @Bean
  StartupReport weirStartReport(
      @Qualifier("weirNode") Node node,
      Phases phases,
      MethodRules methods,
      WeirProperties properties,
      ObjectProvider<RateLimitedBeans> guarded,
      ApplicationContext context) {
    return new StartupReport(
        node, phases, methods, properties, guarded, new EnvironmentChecks(context, properties));
  }
}
