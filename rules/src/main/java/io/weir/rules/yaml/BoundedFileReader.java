package io.weir.rules.yaml;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads files up to a maximum size and records their paths. */
public final class BoundedFileReader {
  /** The maximum file size. */
  public static final int LARGEST = 64 << 20;

  private final ProblemCollector problemCollector;
  private final Set<Path> files = new LinkedHashSet<>();
  private final Consumer<Path> beforeReading;

  private final boolean mayWait;

  private BoundedFileReader(
      ProblemCollector problemCollector, Consumer<Path> beforeReading, boolean mayWait) {
    this.problemCollector = problemCollector;
    this.beforeReading = beforeReading;
    this.mayWait = mayWait;
  }

  /** For a caller that reads once: it may wait for a pipe. */
  public static BoundedFileReader once(ProblemCollector problemCollector) {
    return new BoundedFileReader(problemCollector, path -> {}, true);
  }

  /**
   * For a caller that reads repeatedly. It does not read pipes, because they block and deliver
   * their content only once.
   *
   * @param beforeReading receives each path before it is accessed
   */
  public static BoundedFileReader again(
      ProblemCollector problemCollector, Consumer<Path> beforeReading) {
    return new BoundedFileReader(problemCollector, beforeReading, false);
  }

  /** The content; null, and an error at {@code place}, if it cannot be read. */
  public byte @Nullable [] read(Path path, SourceLocation sourceLocation) {
    remember(path);
    if (!mayWait && isOther(path)) {
      problemCollector.error(
          sourceLocation, "not a regular file; a pipe or a device cannot be watched");
      return null;
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] content = in.readNBytes(LARGEST + 1);
      if (content.length <= LARGEST) {
        return content;
      }
      problemCollector.error(
          sourceLocation, "the file is larger than " + (LARGEST >> 20) + " MB; split it");
    } catch (AccessDeniedException e) {
      problemCollector.error(sourceLocation, "the file cannot be read: permission denied");
    } catch (IOException e) {
      problemCollector.error(
          sourceLocation, "the file cannot be read: " + Excerpt.of(String.valueOf(e.getMessage())));
    }
    return null;
  }

  /** Whether the path exists but is neither a file nor a directory. */
  private static boolean isOther(Path path) {
    return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
  }

  /** Records {@code path}, even if it does not exist. */
  public void remember(Path path) {
    beforeReading.accept(path);
    files.add(path);
  }

  /** All files that were read or looked for. */
  public Set<Path> files() {
    return Set.copyOf(files);
  }
}
