package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code scripts/archive} makes an archive of classes that a start uses, or says that it cannot.
 */
@Tag("slow")
@Timeout(300)
class CdsArchiveTest {
  private static final Path SCRIPT = Path.of("../scripts/archive").toAbsolutePath().normalize();
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  @TempDir private Path dir;

  @Test
  void startLoadsClassesFromTheArchive() throws Exception {
    Path jar = jar();
    Path options = dir.resolve("start");
    assertThat(run(SCRIPT.toString(), JAVA, jar.toString(), options.toString()))
        .as(output())
        .isZero();

    Path loaded = dir.resolve("loaded");
    assertThat(version(options, jar, "-Xlog:class+load:file=" + loaded)).as(output()).isZero();
    assertThat(output()).startsWith("weir ");
    assertThat(Files.readAllLines(loaded))
        .anyMatch(line -> line.contains(" io.weir.cli.Main source: shared objects file"));
  }

  @Test
  void startsWithoutItsArchive() throws Exception {
    Path jar = jar();
    Path options = dir.resolve("start");
    assertThat(run(SCRIPT.toString(), JAVA, jar.toString(), options.toString()))
        .as(output())
        .isZero();
    Files.delete(dir.resolve("start.archive"));

    assertThat(version(options, jar)).isZero();
    assertThat(output()).contains("weir ");
  }

  @Test
  void reportsFailureAndLeavesEmptyFile() throws Exception {
    Path options = dir.resolve("start");
    Path nothing = dir.resolve("nothing.jar");

    assertThat(run(SCRIPT.toString(), JAVA, nothing.toString(), options.toString())).isEqualTo(1);
    assertThat(output()).contains("can make no archive of " + nothing);
    assertThat(options).isEmptyFile();
    try (Stream<Path> left = Files.list(dir)) {
      assertThat(left).containsExactlyInAnyOrder(options, dir.resolve("said"));
    }
  }

  private int version(Path options, Path jar, String... more) throws Exception {
    List<String> line = new ArrayList<>(List.of(JAVA, "@" + options));
    line.addAll(List.of(more));
    line.addAll(List.of("-jar", jar.toString(), "--version"));
    return run(line.toArray(String[]::new));
  }

  private int run(String... line) throws Exception {
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("said").toFile())
            .start();
    try {
      assertThat(process.waitFor(200, TimeUnit.SECONDS)).as(output()).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  private String output() throws IOException {
    Path file = dir.resolve("said");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  /** As the build makes it: all that is on the class path in one file. */
  private Path jar() throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(place);
      if (Files.isDirectory(path)) {
        addAll(path, files);
      } else if (Files.exists(path)) {
        try (FileSystem inside = FileSystems.newFileSystem(path)) {
          addAll(inside.getPath("/"), files);
        }
      }
    }
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    main.put(new Attributes.Name("Enable-Native-Access"), "ALL-UNNAMED");
    Path jar = dir.resolve("weir.jar");
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file, manifest)) {
      for (Map.Entry<String, byte[]> each : files.entrySet()) {
        out.putNextEntry(new ZipEntry(each.getKey()));
        out.write(each.getValue());
        out.closeEntry();
      }
    }
    return jar;
  }

  private static void addAll(Path root, Map<String, byte[]> files) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        String name = root.relativize(each).toString();
        if (name.startsWith("META-INF/services/")) { // several have some of the same kind
          files.merge(name, Files.readAllBytes(each), CdsArchiveTest::lines);
        } else if (!name.equals("META-INF/MANIFEST.MF")
            && !name.matches("META-INF/.*\\.(SF|RSA)")) {
          files.putIfAbsent(name, Files.readAllBytes(each));
        }
      }
    }
  }

  private static byte[] lines(byte[] one, byte[] other) {
    return (new String(one, UTF_8) + "\n" + new String(other, UTF_8)).getBytes(UTF_8);
  }
}
