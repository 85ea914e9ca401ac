package io.weir.spring;

import io.weir.TimeSource;
import io.weir.arbiter.RuleFeed;
import io.weir.node.Node;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleSources;
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
  RuleFeed weirRuleFeed(WeirProperties properties, ApplicationContext context) {
    if (context.getEnvironment() instanceof ConfigurableEnvironment environment) {
      UnknownSettings.look(environment);
    }
    properties.require();
    ClassLoader classes = context.getClassLoader();
    RuleSources sources =
        RuleLocations.of(
            properties, classes == null ? ClassUtils.getDefaultClassLoader() : classes);
    return sources.paths().isEmpty() && sources.carried().isEmpty()
        ? RuleFeed.of(RuleSet.of(List.of()))
        : RuleFeed.of(sources);
  }

  /** The decision path with its rules and store. */
  @Bean(destroyMethod = "close")
  Node weirNode(
      @Qualifier("weirRuleFeed") RuleFeed feed,
      WeirProperties properties,
      ObjectProvider<TimeSource> time) {
    try {
      return Node.builder(feed)
          .time(time.getIfUnique(TimeSource::system))
          .store(properties.store())
          .storeTimeout(properties.storeTimeout())
          .maxKeys(properties.maxKeys())
          .recorded(false) // recorded for the actuator endpoint
          .open();
    } catch (IllegalArgumentException e) {
      throw new MisconfiguredException(
          "The store of Weir cannot be opened: " + e.getMessage(),
          "Correct 'weir.store': 'memory', or a URL such as 'redis://localhost:6379'.");
    }
  }

  /** The limiters that are beans. */
  @Bean
  static LimiterBeans weirLimiterBeans(Environment environment) {
    return new LimiterBeans(environment);
  }

  @Bean
  MethodRules weirMethodRules(@Qualifier("weirRuleFeed") RuleFeed feed) {
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
  StartReport weirStartReport(
      @Qualifier("weirNode") Node node,
      Phases phases,
      MethodRules methods,
      WeirProperties properties,
      ObjectProvider<Front> fronts,
      ObjectProvider<GuardedBeans> guarded,
      ApplicationContext context) {
    return new StartReport(
        node, phases, methods, properties, fronts, guarded, new Surroundings(context, properties));
  }
}
