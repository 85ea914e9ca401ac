package io.weir.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The permitted dependencies between packages. */
class SpringArchitectureTest {
  private static final JavaClasses ROOM =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.spring");

  @Test
  void starterDependsOnNeitherStoresNorTheServer() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.redis..", "io.weir.memory..", "io.weir.server..", "io.vertx..")
        .check(ROOM);
  }

  /** Only classes that check for an optional dependency use it. */
  @Test
  void optionalLibrariesAreUsedByFewClasses() {
    only("io.micrometer..", "(WeirMetrics|actuator\\.(RuleMeters|WeirMeterBinder)).*");
    only(
        "jakarta.servlet..",
        "(WeirServlet|WeirAdvice"
            + "|web\\.(RateLimitAdvice|PhaseFilter|RefusalFilter|PathNormaliz|NormalizedPath)).*");
    only(
        "reactor..",
        "(method\\.Reactive|web\\.(WeirWebFilter|Reactive|RequestEventLoop|WebFlux|OriginalRequest"
            + "|PathNormalizingWeb|RefusalHandler|RateLimitAdvice)).*");
    only("io.netty..", "web\\.RequestEventLoop.*");
    only(
        "org.springframework.boot.actuate..",
        "(actuator\\.WeirEndpoint|WeirActuator.*|Weir(Boot4)?Health.*)");
    only("org.springframework.boot.health..", "Weir(Boot4)?Health.*");
  }

  private static void only(String of, String names) {
    classes()
        .that()
        .resideInAPackage("io.weir.spring..")
        .and()
        .haveNameNotMatching("io\\.weir\\.spring\\.(boot4\\.)?" + names)
        .should()
        .onlyDependOnClassesThat()
        .resideOutsideOfPackage(of)
        .check(ROOM);
  }

  @Test
  void whatAnApplicationWritesIsAllThatIsPublic() {
    assertThat(
            ROOM.stream()
                .filter(each -> each.getPackageName().equals("io.weir.spring"))
                .filter(each -> each.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(each -> !each.getName().contains("$"))
                .map(JavaClass::getSimpleName)
                .filter(name -> !name.endsWith("AutoConfiguration")))
        .containsExactlyInAnyOrder(
            "RateLimited",
            "RateLimiters",
            "RateLimitExceededException",
            "WeirProperties",
            "MisconfiguredException");
  }

  @Test
  void packagesAreInTheTableOfContributing() throws IOException {
    assertThat(Files.readString(Path.of("../CONTRIBUTING.md")))
        .contains("| `io.weir.spring` |", "| `io.weir.spring.boot4` |");
  }
}
