package io.weir.rules.file;

import io.weir.rules.Place;
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
final class FileReader {
  /** The maximum file size. */
  static final int LARGEST = 64 << 20;

  private final Problems problems;
  private final Set<Path> files = new LinkedHashSet<>();
  private final Consumer<Path> beforeReading;

  private final boolean mayWait;

  private FileReader(Problems problems, Consumer<Path> beforeReading, boolean mayWait) {
    this.problems = problems;
    this.beforeReading = beforeReading;
    this.mayWait = mayWait;
  }

  /** For a caller that reads once: it may wait for a pipe. */
  static FileReader once(Problems problems) {
    return new FileReader(problems, path -> {}, true);
  }

  /**
   * For a caller that reads repeatedly. It does not read pipes, because they block and deliver
   * their content only once.
   *
   * @param beforeReading receives each path before it is accessed
   */
  static FileReader again(Problems problems, Consumer<Path> beforeReading) {
    return new FileReader(problems, beforeReading, false);
  }

  /** The content; null, and an error at {@code place}, if it cannot be read. */
  byte @Nullable [] read(Path path, Place place) {
    remember(path);
    if (!mayWait && isOther(path)) {
      problems.error(place, "not a regular file; a pipe or a device cannot be watched");
      return null;
    }
    try (InputStream in = Files.newInputStream(path)) {
      byte[] content = in.readNBytes(LARGEST + 1);
      if (content.length <= LARGEST) {
        return content;
      }
      problems.error(place, "the file is larger than " + (LARGEST >> 20) + " MB; split it");
    } catch (AccessDeniedException e) {
      problems.error(place, "the file cannot be read: permission denied");
    } catch (IOException e) {
      problems.error(
          place, "the file cannot be read: " + Excerpt.of(String.valueOf(e.getMessage())));
    }
    return null;
  }

  /** Whether the path exists but is neither a file nor a directory. */
  private static boolean isOther(Path path) {
    return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
  }

  /** Records {@code path}, even if it does not exist. */
  void remember(Path path) {
    beforeReading.accept(path);
    files.add(path);
  }

  /** All files that were read or looked for. */
  Set<Path> files() {
    return Set.copyOf(files);
  }
}
