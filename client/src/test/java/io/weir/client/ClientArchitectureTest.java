package io.weir.client;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which room may enter which, and that the client needs nothing but the JDK. */
class ClientArchitectureTest {
  private static final JavaClasses ROOMS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.client");

  @Test
  void quotaPackageDependsOnNoOther() {
    onlyKnows("io.weir.client.quota", "io.weir.client.quota");
  }

  @Test
  void paceAndCacheDependOnQuotaOnly() {
    onlyKnows("io.weir.client.pace", "io.weir.client.pace", "io.weir.client.quota");
    onlyKnows("io.weir.client.cache", "io.weir.client.cache", "io.weir.client.quota");
  }

  @Test
  void clientDependsOnTheJdkOnly() {
    noClasses()
        .should()
        .dependOnClassesThat(
            not(
                resideInAnyPackage(
                    "java..", "javax.net.ssl..", "io.weir.client..", "org.jspecify..")))
        .check(ROOMS);
  }

  private static void onlyKnows(String room, String... known) {
    noClasses()
        .that()
        .resideInAPackage(room)
        .should()
        .dependOnClassesThat(resideInAPackage("io.weir..").and(not(resideInAnyPackage(known))))
        .check(ROOMS);
  }
}
