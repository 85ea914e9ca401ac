package io.weir.rules.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The tools use the rules, and do not use each other. */
class RulesToolsArchitectureTest {
  private static final List<String> TOOLS =
      List.of("io.weir.rules.cases", "io.weir.rules.lint", "io.weir.rules.replay");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(TOOLS);

  @ParameterizedTest
  @FieldSource("TOOLS")
  void toolUsesNoOtherTool(String tool) {
    noClasses()
        .that()
        .resideInAPackage(tool + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            TOOLS.stream()
                .filter(other -> !other.equals(tool))
                .map(other -> other + "..")
                .toArray(String[]::new))
        .check(CLASSES);
  }
}
