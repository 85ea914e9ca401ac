package io.weir.runtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which room may enter which. */
class RuntimeArchitectureTest {
  private static final JavaClasses ROOMS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(
              "io.weir.decision",
              "io.weir.embedded",
              "io.weir.logs",
              "io.weir.proto",
              "io.weir.runtime");

  @Test
  void logsDependOnNoOtherPackage() {
    mayNotEnter("io.weir.logs", "io.weir.decision..", "io.weir.embedded..", "io.weir.runtime..");
  }

  @Test
  void protocolBuffersDependOnNoOtherPackage() {
    mayNotEnter("io.weir.proto", "io.weir.decision..", "io.weir.logs..", "io.weir.rules..");
  }

  @Test
  void decisionPathDoesNotDependOnObservers() {
    mayNotEnter("io.weir.decision", "io.weir.embedded..", "io.weir.runtime..");
  }

  @Test
  void nodeDoesNotDependOnFrontEnds() {
    mayNotEnter("io.weir.runtime", "io.weir.embedded..");
  }

  private static void mayNotEnter(String room, String... others) {
    noClasses()
        .that()
        .resideInAPackage(room + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .check(ROOMS);
  }
}
