package io.weir.redis;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The store in Redis uses the library and its clients, and no module above. */
class RedisArchitectureTest {
  private static final JavaClasses REDIS =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.redis");

  @Test
  void storeDependsOnNeitherRulesNorFrontEnds() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "java..",
                "io.weir",
                "io.weir.algorithm",
                "io.weir.memory", // the keyed hash
                "io.weir.text",
                "io.weir.redis",
                "io.lettuce..",
                "io.netty..",
                "org.jspecify.."))
        .check(REDIS);
  }

  /** Classes that decide do not know how calls travel: only the transport does. */
  @Test
  void onlyTheTransportUsesTheNetwork() {
    noClasses()
        .that()
        .haveNameMatching(
            ".*\\.(Redis(Buckets|Provider|Receipt|Settings|SettingsBuilder|Status|Store|Url)"
                + "|CheckCoalescer|CommandSender|DenialCache|LeaseManager|ScriptPlan"
                + "|ShardBreaker)")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.lettuce..", "io.netty..")
        .check(REDIS);
  }
}
