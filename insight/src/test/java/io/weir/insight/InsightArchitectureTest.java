package io.weir.insight;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What the packages of this module may use. */
class InsightArchitectureTest {
  @Test
  void insightDoesNotDependOnFrontEnds() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.insight..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.embedded..", "io.weir.server..", "io.weir.servlet..")
        .check(
            new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.weir.insight"));
  }
}
