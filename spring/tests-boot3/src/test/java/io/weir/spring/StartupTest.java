package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.RateLimiter;
import io.weir.runtime.Node;
import io.weir.spring.diagnostics.UnknownPropertyCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What stops a start, and what a start logs. */
@ExtendWith(OutputCaptureExtension.class)
class StartupTest {
  private static final String GOOD = "rules: [ { name: all, limit: 5 per minute } ]";

  @ImportAutoConfiguration({
    WeirAutoConfiguration.class,
    WeirOffAutoConfiguration.class,
    WeirMethodAutoConfiguration.class
  })
  @Configuration(proxyBeanMethods = false)
  static class Plain {}

  static ConfigurableApplicationContext start(Map<String, Object> settings, Class<?>... also) {
    List<Class<?>> all = new ArrayList<>(List.of(also));
    all.add(Plain.class);
    return new SpringApplicationBuilder(all.toArray(new Class<?>[0]))
        .web(WebApplicationType.NONE)
        .properties(settings)
        .run("--spring.config.name=none"); // the examples have files of the usual name
  }

  /** The report of a start that fails. */
  static String failure(CapturedOutput output, Map<String, Object> settings, Class<?>... also) {
    Throwable thrown = catchThrowable(() -> start(settings, also).close());
    assertThat(thrown).as("the start fails").isNotNull();
    assertThat(output.getAll()).contains("APPLICATION FAILED TO START");
    return output.getAll();
  }

  static Stream<Arguments> wrongSettings() {
    return Stream.of(
        Arguments.of(Map.of(), "Weir has no rules -> weir.rules-location"),
        Arguments.of(
            Map.of("weir.rules", "rules: [ { name: a, limit: 5 per minit } ]"), "weir.rules:1:"),
        Arguments.of(
            Map.of("weir.rules-location", "classpath:nothing.yaml"),
            "no rules at 'classpath:nothing.yaml'"),
        Arguments.of(
            Map.of("weir.rules-location", "/nowhere/rules.yaml"),
            "no rules at '/nowhere/rules.yaml'"),
        Arguments.of(
            Map.of("weir.rules-location", "rules.yaml"),
            "no rules at 'rules.yaml' -> 'classpath:rules.yaml' for src/main/resources/rules.yaml"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.store", "redys://x"),
            "no store for 'redys:' -> weir.store"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.stor", "memory"),
            "'weir.stor' -> did you mean 'weir.store'?"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.filter.ordr", "1"),
            "'weir.filter.ordr' -> did you mean 'weir.filter.order'?"),
        Arguments.of(Map.of("weir.rules", GOOD, "weir.max-keys", "0"), "'weir.max-keys' is 0"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.store-timeout", "0ms"), "'weir.store-timeout' is"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.rules[0].name", "a"),
            "'weir.rules[0].name' -> write 'weir.rules: |'"),
        Arguments.of(
            Map.of("weir.rules.rules[0].name", "a"),
            "'weir.rules.rules[0].name' -> write 'weir.rules: |'"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.filter.url-patterns", "/api/**"),
            "'weir.filter.url-patterns' has '/api/**' -> Write '/api/*'"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.filter.url-patterns", "/*, /api*, *.do"),
            "'weir.filter.url-patterns' has '/api*'"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.filter.url-patterns", "/"),
            "'weir.filter.url-patterns' has '/', -> Write '/api/*'"),
        Arguments.of(
            Map.of("weir.rules", GOOD, "weir.filter.url-patterns", "api/*"),
            "'weir.filter.url-patterns' has 'api/*'"),
        Arguments.of(Map.of("weir.rules", GOOD, "weir.failure-policy", "maybe"), "failure-policy"),
        Arguments.of(
            Map.of(
                "weir.rules",
                "attributes: { user: { header: X-User } }\n" + GOOD,
                "weir.principal-attribute",
                "user"),
            "'user' is declared by the rules (weir.rules:1:15) -> weir.principal-attribute"));
  }

  @ParameterizedTest
  @MethodSource("wrongSettings")
  void wrongSettingsStopTheStart(
      Map<String, Object> settings, String messages, CapturedOutput output) {
    assertThat(failure(output, settings)).contains(messages.split(" -> "));
  }

  /** Spring Boot ignores unknown settings of the machine, since they may be for other programs. */
  @Test
  void wrongSystemPropertiesStopTheStart(CapturedOutput output) {
    System.setProperty("weir.max-kesy", "5");
    try {
      assertThat(failure(output, Map.of("weir.rules", GOOD)))
          .contains("'weir.max-kesy'", "did you mean 'weir.max-keys'?");
    } finally {
      System.clearProperty("weir.max-kesy");
    }
  }

  @Test
  void warnsOfMisspelledEnvironmentVariables() {
    assertThat(
            UnknownPropertyCheck.suspicious(
                List.of(
                    "WEIR_STORE",
                    "WEIR_TRUSTED_PROXIES_0",
                    "WEIR_RULESLOCATION",
                    "WEIR_FILTER_ORDER",
                    "WEIR_SERVICE_HOST",
                    "WEIRD",
                    "WEIR_RULES_LOCATOIN",
                    "WEIR_MAXKEY")))
        .containsExactly(
            "the environment's WEIR_RULES_LOCATOIN is not a setting of Weir; did you mean"
                + " 'WEIR_RULESLOCATION'?",
            "the environment's WEIR_MAXKEY is not a setting of Weir; did you mean 'WEIR_MAXKEYS'?");
  }

  static class NoSuchRule {
    @RateLimited("al")
    public void call() {}
  }

  static class BadLimit {
    @RateLimited(limit = "5 per minit")
    public void call() {}
  }

  static class BadExpression {
    @RateLimited(limit = "5 per minute", per = "#user +")
    public void call(String user) {}
  }

  static class UnknownParameter {
    @RateLimited(limit = "5 per minute", per = "#usr")
    public void call(String user) {}
  }

  static class Unmarked {
    @RateLimited(limit = "5 per minute", per = "user.length()")
    public void call(String user) {}
  }

  static class PartUnmarked {
    @RateLimited(limit = "5 per minute", per = "#user + ':' + tenant")
    public void call(String user, String tenant) {}
  }

  static class LacksAttribute {
    @RateLimited("by-tenant")
    public void call(String user) {}
  }

  static class Both {
    @RateLimited(value = "all", limit = "5 per minute")
    public void call() {}
  }

  static class Neither {
    @RateLimited
    public void call() {}
  }

  static class Final {
    @RateLimited("all")
    public final void call() {}
  }

  static class Private {
    @RateLimited("all")
    private void call() {}
  }

  @RateLimited("all")
  static final class FinalClass {
    public void call() {}
  }

  static class NoFallback {
    @RateLimited(value = "all", fallback = "instead")
    public void call(String user) {}

    public void instead() {}
  }

  static Stream<Arguments> wrongAnnotations() {
    return Stream.of(
        Arguments.of(
            NoSuchRule.class, "NoSuchRule.call: there is no rule 'al'; did you mean 'all'?"),
        Arguments.of(BadLimit.class, "BadLimit.call: -> minit"),
        Arguments.of(BadExpression.class, "BadExpression.call: '#user +'"),
        Arguments.of(UnknownParameter.class, "there is no parameter 'usr'; did you mean 'user'?"),
        Arguments.of(Unmarked.class, "the bean has no property 'user'; the parameter is '#user'"),
        Arguments.of(
            PartUnmarked.class,
            "'#user + ':' + tenant': the bean has no property 'tenant'; -> '#tenant'"),
        Arguments.of(LacksAttribute.class, "rule 'by-tenant' (weir.rules:3:13) is per 'tenant'"),
        Arguments.of(Both.class, "both the name of a rule and a limit"),
        Arguments.of(Neither.class, "neither the name of a rule nor a limit"),
        Arguments.of(Final.class, "Final.call would have no effect: the method is final"),
        Arguments.of(Private.class, "Private.call would have no effect: the method is private"),
        Arguments.of(FinalClass.class, "the class is final"),
        Arguments.of(NoFallback.class, "fallback 'instead'"));
  }

  @ParameterizedTest
  @MethodSource("wrongAnnotations")
  void wrongAnnotationsStopTheStart(Class<?> bean, String messages, CapturedOutput output) {
    String rules =
        "rules:\n  - { name: all, limit: 5 per minute }\n  - { name: by-tenant, per: tenant, limit: 5 per minute }";
    assertThat(failure(output, Map.of("weir.rules", rules), bean)).contains(messages.split(" -> "));
  }

  @Test
  void logsWhatIsLimited(CapturedOutput output) {
    String rules =
        """
        rules:
          - { name: all, limit: 5 per minute }
          - { name: user, per: principal, limit: 5 per minute, mode: shadow }
          - { name: typo, per: usr, limit: 5 per minute }
        """;
    start(Map.of("weir.rules", rules, "weir.store", "memory")).close();
    assertThat(output.getAll())
        .contains(
            "Weir is active: 3 rules; store memory; no filter",
            "there is no filter, so rules: all, user (shadow), typo limit nothing unless")
        .contains("rule 'typo' (weir.rules:4:13) is per 'usr', which no request has");
  }

  @Test
  void doesNothingIfSwitchedOff(CapturedOutput output) {
    try (ConfigurableApplicationContext context =
        start(Map.of("weir.enabled", "false"), NoSuchRule.class)) {
      assertThat(context.getBeansOfType(Node.class)).isEmpty();
      assertThat(output.getAll()).contains("Weir is off: nothing is limited");
    }
  }

  @Test
  void reloadsChangedFiles(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("rules.yaml");
    Files.writeString(file, GOOD);
    Map<String, Object> settings =
        Map.of(
            "weir.rules-location", file.toUri().toString(),
            "weir.rules", "rules: [ { name: inline, limit: 1 per day } ]",
            "weir.failure-policy", "deny");
    try (ConfigurableApplicationContext context = start(settings)) {
      Node node = context.getBean(Node.class);
      assertThat(node.rules().rules()).extracting("name").containsExactly("inline", "all");
      assertThat(node.rules().rules())
          .extracting("policy.onFailure")
          .containsOnly(io.weir.OnFailure.DENY);
      Files.writeString(file, GOOD.replace("all", "other"));
      io.weir.rig.Await.holds(
          "the new rules are in force",
          () -> node.rules().rules().stream().anyMatch(rule -> rule.name().equals("other")));
      assertThat(node.rules().rules()).extracting("name").containsExactly("inline", "other");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Mails {
    @Bean
    RateLimiter mails(RateLimiters limiters) {
      return limiters.of("mails", "1 per hour");
    }
  }

  static class Mailer {
    final RateLimiter mails;
    final RateLimiter texts;

    Mailer(RateLimiter mails, @Qualifier("texts") RateLimiter other) {
      this.mails = mails;
      this.texts = other;
    }
  }

  @Test
  void limitersThatAreSetAreBeans(CapturedOutput output) {
    Map<String, Object> settings =
        Map.of("weir.limiters.mails", "1 per hour", "weir.limiters.texts", "2 per hour");
    try (ConfigurableApplicationContext context = start(settings, Mailer.class)) {
      Mailer mailer = context.getBean(Mailer.class);
      assertThat(mailer.mails.tryAcquire("ann")).isTrue();
      assertThat(mailer.mails.tryAcquire("ann")).isFalse();
      assertThat(mailer.mails.tryAcquire("bob")).isTrue();
      assertThat(mailer.texts.limits()).hasToString("[token-bucket 2 per 1h, burst 2]");
      assertThat(context.getBean(RateLimiters.class).of("mails", "1 per hour"))
          .isSameAs(mailer.mails);
      assertThat(output.getAll())
          .contains("limiters: mails, texts")
          .doesNotContain("not eligible"); // made before Spring is ready to make beans
    }
    assertThat(failure(output, Map.of("weir.limiters.mails", "1 per hur")))
        .contains("'weir.limiters.mails' is not a limit:");
    assertThat(failure(output, Map.of("weir.limiters.weirNode", "1 per hour")))
        .contains("would be a bean 'weirNode', but there is one already");
  }

  @Test
  void injectsLimiters() {
    try (ConfigurableApplicationContext context = start(Map.of("weir.rules", GOOD), Mails.class)) {
      RateLimiter mails = context.getBean(RateLimiter.class);
      assertThat(mails.tryAcquire("ann")).isTrue();
      assertThat(mails.tryAcquire("ann")).isFalse();
      assertThat(context.getBean(RateLimiters.class).of("mails", "1 per hour")).isSameAs(mails);
      assertThat(
              catchThrowable(() -> context.getBean(RateLimiters.class).of("mails", "2 per hour")))
          .hasMessageContaining("other limits");
    }
  }
}
