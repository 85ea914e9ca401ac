package io.weir.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.weir.AsyncRateLimiter;
import io.weir.RateLimiter;
import io.weir.Store;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fronts share http and the decision path, and know nothing of one another. */
class RoomsTest {
  private static final JavaClasses SERVER =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.server");

  @ParameterizedTest
  @CsvSource({
    "service, rls, grpc, gateway, admin",
    "rls, service, gateway, admin, none",
    "gateway, service, rls, grpc, admin",
    "admin, service, rls, grpc, gateway",
    "grpc, service, rls, gateway, admin",
  })
  void noFrontKnowsAnother(String front, String a, String b, String c, String d) {
    noClasses()
        .that()
        .resideInAPackage(room(front))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(room(a), room(b), room(c), room(d))
        .check(SERVER);
  }

  @Test
  void httpKnowsNoFront() {
    noClasses()
        .that()
        .resideInAPackage(room("http"))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.weir.server",
            room("service"),
            room("rls"),
            room("grpc"),
            room("gateway"),
            room("admin"))
        .check(SERVER);
  }

  @Test
  void noFrontTouchesAStore() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.weir.server")
        .should()
        .dependOnClassesThat()
        .areAssignableTo(Store.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(RateLimiter.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(AsyncRateLimiter.class)
        .check(SERVER);
  }

  private static String room(String name) {
    return "io.weir.server." + name + "..";
  }
}
