package io.weir.server.access;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file that lines are appended to, or standard output. When log rotation moves the file away, a
 * new one is opened. Not thread-safe.
 */
final class LogFile implements AutoCloseable {
  private final @Nullable Path path;
  private @Nullable OutputStream out;
  private @Nullable Object key;

  /** Creates it without opening; call {@link #open} first. */
  LogFile(Optional<Path> path) {
    this.path = path.orElse(null);
  }

  /** Opens the file for appending. If that fails, the file that was open stays open. */
  void open() throws IOException {
    if (path == null) {
      out = new FileOutputStream(FileDescriptor.out);
    } else {
      OutputStream next = new FileOutputStream(path.toFile(), true); // interrupts do not close it
      close();
      out = next;
      key = key(path);
    }
  }

  /** Whether the path now refers to another file, or to none. */
  boolean isMoved() {
    return path != null && (out == null || !Objects.equals(key, key(path)));
  }

  private static @Nullable Object key(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      return new Object(); // equal to no other
    }
  }

  void write(byte[] lines) throws IOException {
    OutputStream to = out;
    if (to == null) {
      throw new IOException("it is not open");
    }
    to.write(lines);
  }

  /** Closes the file; standard output stays open, because others may write to it. */
  @Override
  public void close() throws IOException {
    OutputStream open = out;
    out = null;
    if (open != null && path != null) {
      open.close();
    }
  }

  @Override
  public String toString() {
    return path == null ? "standard output" : path.toString();
  }
}
