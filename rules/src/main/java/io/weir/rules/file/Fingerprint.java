package io.weir.rules.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state of files and directories at one moment.
 *
 * <p>A file is identified by its real path, its size and its modification time. The real path
 * detects a symbolic link that was moved to another directory. Clocks of file systems are coarse,
 * so two changes may have the same time. So the content of a file that was modified in the last
 * seconds is compared too.
 */
final class Fingerprint {
  private static final Duration COARSEST_CLOCK = Duration.ofSeconds(3);
  private static final long LARGEST_COMPARED = 16L << 20;

  private final Map<Path, Mark> marks = new HashMap<>();
  private final Instant now;

  private Fingerprint(Instant now) {
    this.now = now;
  }

  static Fingerprint of(Collection<Path> paths, Instant now) {
    Fingerprint fingerprint = new Fingerprint(now);
    paths.forEach(fingerprint::add);
    return fingerprint;
  }

  /** Adds the current state of a path, unless it is present. */
  void add(Path path) {
    marks.computeIfAbsent(path, each -> mark(each, now));
  }

  Set<Path> paths() {
    return Set.copyOf(marks.keySet());
  }

  /** Whether anything differs from {@code before}, a fingerprint of the same paths. */
  boolean differsFrom(Fingerprint before) {
    return !marks.keySet().equals(before.marks.keySet())
        || marks.keySet().stream()
            .anyMatch(path -> differs(marks.get(path), before.marks.get(path)));
  }

  private static boolean differs(@Nullable Mark now, @Nullable Mark before) {
    return now == null || before == null || now.differsFrom(before);
  }

  private static Mark mark(Path path, Instant now) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
      Object identity = String.valueOf(attributes.fileKey());
      if (attributes.isDirectory()) {
        return new Mark(List.of(path.toRealPath(), identity, names(path)), OptionalInt.empty());
      }
      Instant changed = attributes.lastModifiedTime().toInstant();
      boolean isYoung = changed.plus(COARSEST_CLOCK).isAfter(now);
      return new Mark(
          List.of(path.toRealPath(), identity, changed, attributes.size()),
          isYoung && attributes.isRegularFile() && attributes.size() <= LARGEST_COMPARED
              ? OptionalInt.of(Arrays.hashCode(Files.readAllBytes(path)))
              : OptionalInt.empty());
    } catch (IOException | DirectoryIteratorException e) {
      return new Mark(List.of(e.getClass()), OptionalInt.empty());
    }
  }

  private static TreeSet<String> names(Path directory) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
    }
    return names;
  }

  /**
   * One file.
   *
   * @param content a hash of it, if it was modified recently
   */
  private record Mark(List<?> outside, OptionalInt content) {
    boolean differsFrom(Mark before) {
      boolean isSameContent =
          content.isEmpty() || before.content.isEmpty() || content.equals(before.content);
      return !outside.equals(before.outside) || !isSameContent;
    }
  }
}
