package io.weir.servlet;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which rooms the filter may enter. */
class ServletArchitectureTest {
  private static final JavaClasses ROOM =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.servlet");

  @Test
  void filterDependsOnNoStoreAndNoOtherFrontEnd() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.servlet..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.weir", "io.weir.memory..", "io.weir.redis..", "io.weir.server..", "io.weir.cli..")
        .check(ROOM);
  }

  @Test
  void filterDependsOnTheServletApiOnly() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.eclipse..", "org.apache..", "org.springframework..")
        .check(ROOM);
  }
}
