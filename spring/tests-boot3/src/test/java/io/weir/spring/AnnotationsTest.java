package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.Rule;
import io.weir.runtime.Node;
import io.weir.spring.web.Phases;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.PriorityOrdered;

/** Each annotation has its own effect, or stops the start. */
@ExtendWith(OutputCaptureExtension.class)
class AnnotationsTest {
  private static final Map<String, Object> SETTINGS =
      Map.of("weir.rules", "rules: [ { name: all, limit: 1 per hour } ]");

  static class One {
    static class Reports {
      @RateLimited(limit = "1 per hour")
      public void create() {}
    }
  }

  static class Other {
    static class Reports {
      @RateLimited(limit = "1 per hour")
      public void create() {}
    }
  }

  static class Shared {
    @RateLimited(limit = "1 per hour", name = "shared")
    public void one() {}

    @RateLimited(limit = "1 per hour", name = "shared")
    public void other() {}
  }

  static class NotShared {
    @RateLimited(limit = "2 per hour", name = "shared")
    public void create() {}
  }

  @Lazy
  static class LazyMistake {
    @RateLimited("al")
    public void call() {}
  }

  @Scope("prototype")
  static class PrototypeMistake {
    @RateLimited(limit = "5 per minit")
    public void call() {}
  }

  static class Guarded {
    @RateLimited("all")
    public void call() {}
  }

  static class MadeFirst implements BeanPostProcessor, PriorityOrdered, BeanFactoryAware {
    @Override
    public void setBeanFactory(BeanFactory beans) {
      beans.getBean(Guarded.class);
    }

    @Override
    public int getOrder() {
      return 0;
    }
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of(
            List.of(One.Reports.class, Other.Reports.class),
            "would be called 'Reports.create', as the one on -> One$Reports.create()"),
        Arguments.of(
            List.of(Shared.class, NotShared.class),
            "would be called 'shared' -> which has another limit"),
        Arguments.of(List.of(LazyMistake.class), "there is no rule 'al'; did you mean 'all'?"),
        Arguments.of(List.of(PrototypeMistake.class), "PrototypeMistake.call: -> minit"),
        Arguments.of(
            List.of(Guarded.class, MadeFirst.class),
            "AnnotationsTest$Guarded would have no effect: the bean -> was created before"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void mistakesStopTheStart(List<Class<?>> beans, String messages, CapturedOutput output) {
    assertThat(StartupTest.failure(output, SETTINGS, beans.toArray(new Class<?>[0])))
        .contains(messages.split(" -> "));
  }

  static class Mistake {
    @RateLimited("al")
    public void call() {}
  }

  @Test
  void mistakesStopTheStartAlsoWhereAllBeansAreLazy(CapturedOutput output) {
    Map<String, Object> settings = new HashMap<>(SETTINGS);
    settings.put("spring.main.lazy-initialization", "true");
    assertThat(StartupTest.failure(output, settings, Mistake.class))
        .contains("there is no rule 'al'; did you mean 'all'?");
  }

  static class Overloads {
    @RateLimited(limit = "1 per hour")
    void call(int number) {}

    @RateLimited(limit = "2 per hour")
    void call(String text) {}
  }

  @Test
  void overloadedMethodsHaveDifferentRules() {
    try (ConfigurableApplicationContext context = StartupTest.start(SETTINGS, Overloads.class)) {
      assertThat(names(context)).contains("Overloads.call:int", "Overloads.call:String");
      Overloads overloads = context.getBean(Overloads.class);
      overloads.call("a");
      overloads.call("b");
      overloads.call(1);
      assertThatThrownBy(() -> overloads.call(2)).isInstanceOf(RateLimitExceededException.class);
    }
  }

  @Test
  void aNameThatIsGivenTwiceIsOneLimit() {
    try (ConfigurableApplicationContext context = StartupTest.start(SETTINGS, Shared.class)) {
      context.getBean(Shared.class).one();
      assertThatThrownBy(() -> context.getBean(Shared.class).other())
          .isInstanceOf(RateLimitExceededException.class);
    }
  }

  @Lazy
  static class LazyReports {
    @RateLimited("all")
    public void create() {}
  }

  @Test
  void filtersDoNotCheckRulesOfLazyBeans() {
    try (ConfigurableApplicationContext context = StartupTest.start(SETTINGS, LazyReports.class)) {
      Rule rule = context.getBean(Node.class).rules().rules().get(0);
      assertThat(context.getBean(Phases.class).isEarly(rule)).isFalse();
      context.getBean(LazyReports.class).create();
      assertThatThrownBy(() -> context.getBean(LazyReports.class).create())
          .isInstanceOf(RateLimitExceededException.class);
    }
  }

  interface Port {
    @RateLimited(limit = "1 per hour")
    void land();

    void leave();
  }

  @Configuration(proxyBeanMethods = false)
  static class MadeUp {
    @Bean
    Port port() {
      return (Port)
          Proxy.newProxyInstance(
              Port.class.getClassLoader(),
              new Class<?>[] {Port.class},
              (proxy, method, all) -> null);
    }
  }

  /** As a repository is made: behind it is a class that knows nothing of its interface. */
  @Configuration(proxyBeanMethods = false)
  static class Repository {
    @Bean
    Port port() {
      ProxyFactory factory = new ProxyFactory();
      factory.setInterfaces(Port.class);
      factory.setTarget(new java.util.ArrayList<>());
      factory.addAdvice((MethodInterceptor) invocation -> null);
      return (Port) factory.getProxy();
    }
  }

  static Stream<Class<?>> ports() {
    return Stream.of(MadeUp.class, Repository.class);
  }

  @ParameterizedTest
  @MethodSource("ports")
  void generatedClassesAreLimitedByTheNameOfTheirInterface(Class<?> made) {
    try (ConfigurableApplicationContext context = StartupTest.start(SETTINGS, made)) {
      Port port = context.getBean(Port.class);
      port.land();
      assertThatThrownBy(port::land)
          .isInstanceOf(RateLimitExceededException.class)
          .hasMessageContaining("'Port.land'");
      assertThatCode(port::leave).doesNotThrowAnyException();
      assertThat(names(context)).containsExactly("all", "Port.land");
    }
  }

  static class OfOther {
    @RateLimited("other/all")
    public void call() {}
  }

  @Test
  void aNameOfSeveralDomainsIsSaidWithItsDomain(@TempDir Path directory, CapturedOutput output)
      throws Exception {
    Path file = directory.resolve("rules.yaml");
    Files.writeString(file, "domain: other\nrules: [ { name: all, limit: 2 per hour } ]");
    Map<String, Object> settings =
        Map.of(
            "weir.rules",
            SETTINGS.get("weir.rules"),
            "weir.rules-location",
            file.toUri().toString());
    try (ConfigurableApplicationContext context = StartupTest.start(settings, OfOther.class)) {
      OfOther bean = context.getBean(OfOther.class);
      bean.call();
      bean.call();
      assertThatThrownBy(bean::call).isInstanceOf(RateLimitExceededException.class);
      RateLimiters limiters = context.getBean(RateLimiters.class);
      assertThatThrownBy(() -> limiters.check("all", Map.of()))
          .hasMessage(
              "several domains have a rule 'all'; use one of: 'default/all' or 'other/all'");
      assertThat(limiters.check("default/all", Map.of()).toCompletableFuture().join().allowed())
          .isTrue();
      Rule ofDefault = context.getBean(Node.class).rules().rules().get(0);
      assertThat(context.getBean(Phases.class).isEarly(ofDefault)).as(ofDefault.domain()).isTrue();
    }
    assertThat(StartupTest.failure(output, settings, Guarded.class))
        .contains("several domains have a rule 'all'");
  }

  private static List<String> names(ConfigurableApplicationContext context) {
    return context.getBean(Node.class).rules().rules().stream().map(Rule::name).toList();
  }
}
