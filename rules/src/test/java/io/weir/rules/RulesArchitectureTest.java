package io.weir.rules;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The arrows between the rooms of the rules point one way. */
class RulesArchitectureTest {
  private static final JavaClasses RULES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.rules");

  /** A room and those that it may know; none may know one that is further down. */
  private record Room(String name, List<String> known) {
    static Room of(String name, String... known) {
      return new Room(name, List.of(known));
    }
  }

  private static final String LIBRARY = "io.weir";
  private static final String TEXT = "io.weir.rules.text";
  private static final String MATCH = "io.weir.rules.match";
  private static final String MODEL = "io.weir.rules";
  private static final String HTTP = "io.weir.rules.http";
  private static final String CASES = "io.weir.rules.cases";
  private static final String FILE = "io.weir.rules.file";
  private static final String LINT = "io.weir.rules.lint";
  private static final String REPLAY = "io.weir.rules.replay";

  private static final List<Room> ROOMS =
      List.of(
          Room.of(LIBRARY),
          Room.of(TEXT),
          Room.of(MATCH),
          Room.of(MODEL, LIBRARY, MATCH),
          Room.of(HTTP, LIBRARY, MATCH, MODEL),
          Room.of(CASES, LIBRARY, MATCH, MODEL, HTTP),
          Room.of(FILE, LIBRARY, TEXT, MATCH, MODEL, HTTP, CASES),
          Room.of(LINT, LIBRARY, TEXT, MATCH, MODEL, FILE),
          Room.of(REPLAY, LIBRARY, TEXT, MATCH, MODEL, HTTP));

  @ParameterizedTest
  @FieldSource("ROOMS")
  void packageDependsOnlyOnListedOnes(Room room) {
    String[] unknown =
        ROOMS.stream()
            .map(Room::name)
            .filter(other -> !other.equals(room.name()) && !room.known().contains(other))
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage(room.name())
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(unknown)
        .allowEmptyShould(room.name().equals(LIBRARY))
        .check(RULES);
  }

  @Test
  void listedDependenciesHaveNoCycle() {
    Map<String, Integer> floors =
        Stream.iterate(0, i -> i < ROOMS.size(), i -> i + 1)
            .collect(Collectors.toMap(i -> ROOMS.get(i).name(), i -> i));

    for (Room room : ROOMS) {
      assertThat(room.known())
          .as(room.name())
          .allSatisfy(known -> assertThat(floors.get(known)).isLessThan(floors.get(room.name())));
    }
  }

  @Test
  void everyPackageIsListed() {
    assertThat(RULES.stream().map(JavaClass::getPackageName).distinct())
        .isSubsetOf(ROOMS.stream().map(Room::name).toList());
  }

  @Test
  void noPackageDependsOnInternalsOfCore() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.algorithm..", "io.weir.memory..")
        .check(RULES);
  }
}
