package io.weir.node;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which room may enter which. */
class NodeRoomsTest {
  private static final JavaClasses ROOMS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(
              "io.weir.arbiter", "io.weir.front", "io.weir.logs", "io.weir.node", "io.weir.seeing");

  @Test
  void logsDependOnNoOtherPackage() {
    mayNotEnter(
        "io.weir.logs",
        "io.weir.arbiter..",
        "io.weir.front..",
        "io.weir.node..",
        "io.weir.seeing..");
  }

  @Test
  void decisionPathDoesNotDependOnObservers() {
    mayNotEnter("io.weir.arbiter", "io.weir.front..", "io.weir.node..", "io.weir.seeing..");
  }

  @Test
  void observersDoNotDependOnNode() {
    mayNotEnter("io.weir.seeing", "io.weir.front..", "io.weir.node..");
  }

  @Test
  void nodeDoesNotDependOnFrontEnds() {
    mayNotEnter("io.weir.node", "io.weir.front..");
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
