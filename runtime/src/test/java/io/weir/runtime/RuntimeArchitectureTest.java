package io.weir.runtime;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which package may use which. */
class RuntimeArchitectureTest {
  private static final JavaClasses CLASSES =
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
    mayNotUse("io.weir.logs", "io.weir.decision..", "io.weir.embedded..", "io.weir.runtime..");
  }

  @Test
  void protocolBuffersDependOnNoOtherPackage() {
    mayNotUse("io.weir.proto", "io.weir.decision..", "io.weir.logs..", "io.weir.rules..");
  }

  @Test
  void decisionPathDoesNotDependOnObservers() {
    mayNotUse("io.weir.decision", "io.weir.embedded..", "io.weir.runtime..");
  }

  @Test
  void nodeDoesNotDependOnFrontEnds() {
    mayNotUse("io.weir.runtime", "io.weir.embedded..");
  }

  private static void mayNotUse(String packageName, String... others) {
    noClasses()
        .that()
        .resideInAPackage(packageName + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others)
        .check(CLASSES);
  }
}
