package io.weir.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.weir.Buckets;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Which package may use which. */
class ServerArchitectureTest {
  private static final JavaClasses ROOMS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.server");

  private static final List<String> FRONTS = List.of("admin", "gateway", "rls", "service");

  @Test
  void frontEndsDoNotDependOnEachOther() {
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
  void httpDependsOnNeitherFrontEndsNorDecisions() {
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
  void grpcDependsOnHttpOnly() {
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
  void connectionAndHttp1DependOnTheCodecOnly() {
    String codec = "io.weir.server.codec";
    for (String packageName :
        List.of(codec, "io.weir.server.connection", "io.weir.server.gateway.http1")) {
      noClasses()
          .that()
          .resideInAPackage(packageName)
          .should()
          .dependOnClassesThat(
              resideInAPackage("io.weir..")
                  .and(not(resideInAnyPackage(packageName, codec, "io.weir.logs")))
                  .and(not(equivalentTo(TimeSource.class))))
          .check(ROOMS);
    }
  }

  @Test
  void onlyTheAdminPortDependsOnInsight() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.weir.server", "io.weir.server.admin..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.weir.insight..")
        .check(ROOMS);
  }

  @Test
  void onlyTheServerTouchesStores() {
    for (Class<?> ofStores : List.of(Store.class, Buckets.class, RateLimiter.class)) {
      classes()
          .that()
          .resideInAPackage("io.weir.server..")
          .and()
          .haveNameNotMatching(
              "io\\.weir\\.server\\.(Server|Settings|WarmUp|WarmUpServers)(\\$.*)?")
          .should()
          .onlyDependOnClassesThat()
          .areNotAssignableTo(ofStores)
          .check(ROOMS);
    }
  }

  @Test
  void onlyTheServerCreatesFrontEnds() {
    noClasses()
        .that()
        .resideInAPackage("io.weir.server")
        .and()
        .haveNameNotMatching("io\\.weir\\.server\\.(Server|WarmUpServers)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            FRONTS.stream().map(front -> "io.weir.server." + front + "..").toArray(String[]::new))
        .check(ROOMS);
  }

  /** The table of packages in CONTRIBUTING.md lists every package. */
  @Test
  void everyPackageIsInTheTableOfContributing() throws IOException {
    Set<String> documented = new TreeSet<>();
    for (String line : Files.readAllLines(Path.of("../CONTRIBUTING.md"))) {
      String[] cells = line.split("\\|", -1);
      if (cells.length > 2 && cells[2].contains("`io.weir.server")) {
        for (Matcher name = Pattern.compile("`([a-z0-9.]+)`").matcher(cells[2]); name.find(); ) {
          String packageName = name.group(1);
          documented.add(
              packageName.startsWith("io.") ? packageName : "io.weir.server." + packageName);
        }
      }
    }
    assertThat(ROOMS.stream().map(JavaClass::getPackageName).distinct())
        .containsExactlyInAnyOrderElementsOf(documented);
  }

  /** All time comes from a {@link TimeSource}, so that a test can replace the clock. */
  @Test
  void timeComesFromATimeSource() {
    noClasses()
        .should()
        .accessTargetWhere(
            target(owner(equivalentTo(System.class)))
                .and(target(nameMatching("nanoTime|currentTimeMillis")))
                .or(target(owner(resideInAPackage("java.time.."))).and(target(name("now")))))
        .orShould()
        .callConstructor(Date.class)
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(Clock.class)
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
