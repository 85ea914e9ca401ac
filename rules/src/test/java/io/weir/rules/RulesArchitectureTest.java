package io.weir.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The arrows between the packages of the rules point one way. */
class RulesArchitectureTest {
  private static final JavaClasses RULES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.rules");

  /**
   * Packages and those that they may use; none may use one that is further down.
   *
   * @param names one package, or several that use each other
   */
  private record Floor(List<String> names, List<String> known) {
    static Floor of(String name, String... known) {
      return new Floor(List.of(name), List.of(known));
    }
  }

  private static final String LIBRARY = "io.weir";
  private static final String TEXT = "io.weir.rules.text";
  private static final String MATCH = "io.weir.rules.match";
  private static final String MODEL = "io.weir.rules";
  private static final String HTTP = "io.weir.rules.http";
  private static final String YAML = "io.weir.rules.yaml";
  private static final String FILE = "io.weir.rules.file";

  /** A rule set holds its compiled form, which holds the rules. */
  private static final List<String> MODELS =
      List.of(MODEL, "io.weir.rules.engine", "io.weir.rules.envoy");

  private static final List<Floor> FLOORS =
      List.of(
          Floor.of(LIBRARY),
          Floor.of(TEXT),
          Floor.of(MATCH),
          new Floor(MODELS, List.of(LIBRARY, TEXT, MATCH)),
          Floor.of(HTTP, LIBRARY, MATCH, MODEL),
          Floor.of(YAML, TEXT, MODEL),
          Floor.of(FILE, LIBRARY, TEXT, MATCH, MODEL, "io.weir.rules.envoy", HTTP, YAML));

  @ParameterizedTest
  @FieldSource("FLOORS")
  void packageUsesOnlyThese(Floor floor) {
    String[] unknown =
        FLOORS.stream()
            .flatMap(other -> other.names().stream())
            .filter(other -> !floor.names().contains(other) && !floor.known().contains(other))
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAnyPackage(floor.names().toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(unknown)
        .allowEmptyShould(floor.names().contains(LIBRARY))
        .check(RULES);
  }

  @Test
  void dependenciesHaveNoCycle() {
    List<String> above = new ArrayList<>();
    for (Floor floor : FLOORS) {
      assertThat(above).as(floor.toString()).containsAll(floor.known());
      above.addAll(floor.names());
    }
  }

  @Test
  void everyPackageIsListed() {
    assertThat(RULES.stream().map(JavaClass::getPackageName).distinct())
        .isSubsetOf(FLOORS.stream().flatMap(floor -> floor.names().stream()).toList());
  }

  @Test
  void libraryInternalsAreNotUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.algorithm..", "io.weir.memory..")
        .check(RULES);
  }
}
