package io.weir;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms of the library point one way. */
class CoreArchitectureTest {
  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir");

  @Test
  void publicApiDependsOnNeitherAlgorithmsNorStores() {
    noClasses()
        .that()
        .resideInAPackage("io.weir")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.algorithm..", "io.weir.memory..")
        .check(CORE);
  }

  @Test
  void algorithmsDependOnNoStore() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.algorithm..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.memory..")
        .check(CORE);
  }

  @Test
  void textPackageDependsOnNoOther() {
    classes()
        .that()
        .resideInAPackage("io.weir.text..")
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage("java..", "io.weir.text..", "org.jspecify.."))
        .check(CORE);
  }

  @Test
  void fieldPackageDependsOnNoOther() {
    classes()
        .that()
        .resideInAPackage("io.weir.field..")
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage("java..", "io.weir.field..", "org.jspecify.."))
        .check(CORE);
  }

  @Test
  void coreDependsOnTheJdkOnly() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "java..",
                "io.weir",
                "io.weir.algorithm..",
                "io.weir.field..",
                "io.weir.memory..",
                "io.weir.text..",
                "org.jspecify.."))
        .check(CORE);
  }
}
