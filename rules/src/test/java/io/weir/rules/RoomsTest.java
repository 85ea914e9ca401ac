package io.weir.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms of the rules point one way. */
class RoomsTest {
  private static final JavaClasses RULES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.rules");

  @Test
  void matchingKnowsNoRules() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.rules.match")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.rules", "io.weir", "io.weir.rules.file..")
        .check(RULES);
  }

  @Test
  void rulesKnowNeitherFilesNorHttpNorTraces() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.rules")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.weir.rules.file..", "io.weir.rules.http..", "io.weir.rules.replay..")
        .check(RULES);
  }

  @Test
  void nobodyKnowsTheInsideOfTheLibrary() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.algorithm..", "io.weir.memory..")
        .check(RULES);
  }

  @Test
  void nobodyInTheseRoomsKnowsTheWarnings() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.weir.rules.lint")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.rules.lint")
        .check(RULES);
  }
}
