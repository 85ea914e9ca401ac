package io.weir.grpc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Which rooms the interceptor may enter. */
class GrpcArchitectureTest {
  private static final JavaClasses ROOM =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.weir.grpc");

  @Test
  void interceptorDependsOnNoStoreAndNoOtherFrontEnd() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.weir.memory..",
            "io.weir.redis..",
            "io.weir.insight..",
            "io.weir.server..",
            "io.weir.servlet..",
            "io.weir.cli..")
        .check(ROOM);
  }

  @Test
  void interceptorDependsOnTheGrpcApiOnly() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "com.google..", "io.grpc.stub..", "io.grpc.netty..", "io.grpc.protobuf..", "io.netty..")
        .check(ROOM);
  }
}
