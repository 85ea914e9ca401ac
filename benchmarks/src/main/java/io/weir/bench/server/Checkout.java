package io.weir.bench.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The checkout in which Weir was built.
 *
 * @param root the directory with {@code ./weir}
 */
public record Checkout(Path root) {
  /** The one in which this benchmark was built. */
  public static Checkout here() {
    Path jar = Path.of(System.getProperty("java.class.path").split(":")[0]).toAbsolutePath();
    for (Path at = jar.getParent(); at != null; at = at.getParent()) {
      if (Files.isExecutable(at.resolve("weir")) && Files.exists(at.resolve("pom.xml"))) {
        return new Checkout(at);
      }
    }
    throw new IllegalArgumentException("needs a checkout with ./weir above " + jar);
  }

  /** The executable jar. */
  public Path jar() {
    return root.resolve("cli/target/weir.jar");
  }

  /** The class path of the benchmark's Spring Cloud Gateway. */
  public String springGateway() {
    Path target = root.resolve("benchmarks/spring-gateway/target");
    return target.resolve("spring-gateway.jar") + ":" + target.resolve("lib") + "/*";
  }

  /** The class path of the benchmark's application with filters. */
  public String springFilter() {
    Path target = root.resolve("benchmarks/spring-filter/target");
    return target.resolve("spring-filter.jar") + ":" + target.resolve("lib") + "/*";
  }

  /** The JDKs to start it on, by name; {@code ./bench} finds them. */
  public Map<String, Path> javas() {
    Map<String, Path> javas = new LinkedHashMap<>();
    for (String java : System.getProperty("weir.bench.jdks", "").split(":")) {
      int equals = java.indexOf('=');
      if (equals > 0) {
        javas.put("JDK " + java.substring(0, equals), Path.of(java.substring(equals + 1)));
      }
    }
    return javas;
  }

  /** The command. */
  public Path command() {
    return root.resolve("weir");
  }
}
