package io.weir.cli.simulate;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears only when all of it is written. Until {@link #keep} it has a temporary name
 * beside its own, and without it nothing remains. A device, a pipe or a descriptor such as {@code
 * /dev/stdout} is written to directly, without truncation.
 */
public final class OutputFile implements AutoCloseable {
  private final Path target;
  private final Path written;
  private final OutputStream stream;

  private OutputFile(Path target, Path written) throws IOException {
    this.target = target;
    this.written = written;
    this.stream = new BufferedOutputStream(Files.newOutputStream(written, how(target, written)));
    if (!target.equals(written)) {
      written.toFile().deleteOnExit(); // if a signal ends the process, this is never closed
      copyPermissions(target, written);
    }
  }

  private static StandardOpenOption[] how(Path target, Path written) {
    return target.equals(written)
        ? new StandardOpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.APPEND}
        : new StandardOpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW};
  }

  /** Keeps the permissions of a file that is replaced. */
  private static void copyPermissions(Path from, Path to) throws IOException {
    if (Files.exists(from) && Files.getFileStore(to).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    }
  }

  /** Starts writing {@code file}. */
  public static OutputFile create(Path file) throws IOException {
    if (isWrittenAsItIs(file)) {
      return new OutputFile(file, file);
    }
    // Replaces the target of a link, not the link.
    Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
    String name = "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part";
    return new OutputFile(target, target.resolveSibling(name));
  }

  /**
   * Why {@code file} could not be written, checked before any work; empty if no problem is known.
   */
  public static Optional<String> writeProblem(Path file) {
    Path parent = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || parent == null) {
      return Optional.of(file + " is a directory; name a file");
    }
    if (!Files.exists(parent)) {
      return Optional.of("no such directory: " + shown(file.getParent(), parent));
    }
    if (!Files.isDirectory(parent)) {
      return Optional.of(shown(file.getParent(), parent) + " is no directory");
    }
    if (isOfTheSystem(file) && !Files.exists(file)) {
      return Optional.of("no such file: " + file);
    }
    if (isWrittenAsItIs(file) ? !Files.isWritable(file) : !Files.isWritable(parent)) {
      return Optional.of("no permission to write " + file);
    }
    return Optional.empty();
  }

  private static Path shown(@Nullable Path asTyped, Path absolute) {
    return asTyped == null ? absolute : asTyped;
  }

  private static boolean isWrittenAsItIs(Path file) {
    return isOfTheSystem(file)
        || (Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file));
  }

  /**
   * Whether the file must not be replaced: such a name may stand for a file that another process
   * has open and writes to. Files in shared memory are ordinary files.
   */
  private static boolean isOfTheSystem(Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    return (absolute.startsWith("/dev") || absolute.startsWith("/proc"))
        && !absolute.startsWith("/dev/shm");
  }

  /** The stream to write to. Closing it before {@link #keep} does no harm. */
  public OutputStream stream() {
    return stream;
  }

  /** Renames the completed file to its final name. */
  public void keep() throws IOException {
    stream.close();
    if (written.equals(target)) {
      return;
    }
    try {
      Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(written, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Deletes the file unless it was kept. */
  @Override
  public void close() throws IOException {
    try (stream) {
      if (!written.equals(target)) {
        Files.deleteIfExists(written);
      }
    }
  }
}
