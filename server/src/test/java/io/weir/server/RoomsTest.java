package io.weir.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.weir.Buckets;
import io.weir.RateLimiter;
import io.weir.Store;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which room may enter which. */
class RoomsTest {
  private static final JavaClasses ROOMS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.server");

  private static final List<String> FRONTS = List.of("admin", "gateway", "rls", "service");

  @Test
  void noFrontKnowsAnother() {
    for (String front : FRONTS) {
      String[] others =
          FRONTS.stream()
              .filter(other -> !other.equals(front))
              .map(other -> "io.weir.server." + other + "..")
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage("io.weir.server." + front + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(others)
          .check(ROOMS);
    }
  }

  @Test
  void httpKnowsNoFrontAndNoDecision() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.server.http..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.weir.server",
            "io.weir.server.admin..",
            "io.weir.server.gateway..",
            "io.weir.server.grpc..",
            "io.weir.server.rls..",
            "io.weir.server.service..")
        .check(ROOMS);
  }

  @Test
  void grpcKnowsOnlyHttp() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.server.grpc..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.weir.server",
            "io.weir.rules",
            "io.weir.server.admin..",
            "io.weir.server.gateway..",
            "io.weir.server.rls..",
            "io.weir.server.service..")
        .check(ROOMS);
  }

  @Test
  void onlyTheServerTouchesStores() {
    for (Class<?> ofStores : List.of(Store.class, Buckets.class, RateLimiter.class)) {
      classes()
          .that()
          .resideInAPackage("io.weir.server..")
          .and()
          .haveNameNotMatching("io\\.weir\\.server\\.(Server|Settings)(\\$.*)?")
          .should()
          .onlyDependOnClassesThat()
          .areNotAssignableTo(ofStores)
          .check(ROOMS);
    }
  }

  @Test
  void onlyTheServerOpensFronts() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.server")
        .and()
        .haveNameNotMatching("io\\.weir\\.server\\.Server(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            FRONTS.stream().map(front -> "io.weir.server." + front + "..").toArray(String[]::new))
        .check(ROOMS);
  }

  @Test
  void noStoreIsBuiltIn() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.server..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.weir.redis..", "io.weir.memory..")
        .check(ROOMS);
  }
}
