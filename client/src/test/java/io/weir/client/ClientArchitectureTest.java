package io.weir.client;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which package may use which, and that the client needs no library of others. */
class ClientArchitectureTest {
  private static final JavaClasses ROOMS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.client");

  @Test
  void quotasUseOnlyTheFieldReader() {
    onlyKnows("io.weir.client.quota", "io.weir.client.quota", "io.weir.field");
  }

  @Test
  void paceAndCacheDependOnQuotaOnly() {
    onlyKnows("io.weir.client.pace", "io.weir.client.pace", "io.weir.client.quota");
    onlyKnows("io.weir.client.cache", "io.weir.client.cache", "io.weir.client.quota");
  }

  @Test
  void needsTheJdkAndTheFieldReaderOnly() {
    noClasses()
        .should()
        .dependOnClassesThat(
            not(
                resideInAnyPackage(
                    "java..",
                    "javax.net.ssl..",
                    "io.weir.client..",
                    "io.weir.field..",
                    "org.jspecify..")))
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
