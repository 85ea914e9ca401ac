package io.weir.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores the number of nodes across restarts, for a start while Redis is away.
 *
 * <pre>
 * weir nodes 1
 * redis://cache:6379 weir
 * 3
 * </pre>
 *
 * <p>The second line names the store; the number of another store is ignored. The file is replaced
 * as a whole. It never prevents a start: read and write errors are only warnings.
 */
final class NodeCountFile {
  private static final String FORM = "weir nodes 1";
  private static final int MAX_BYTES = 4096;

  private final Path file;
  private final String store;
  private final Consumer<String> warnings;
  private int kept; // 0: none
  private int wanted;
  private boolean isWriting;
  private boolean hasFailed;

  /**
   * @param store the store that the number belongs to, in one line
   */
  NodeCountFile(Path file, String store, Consumer<String> warnings) {
    this.file = file;
    this.store = store;
    this.warnings = warnings;
  }

  /** The number in the file; empty if there is none for this store. */
  synchronized OptionalInt read() {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES);
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      List<String> lines = text.lines().toList();
      if (lines.size() == 3 && lines.get(0).equals(FORM) && lines.get(2).matches("\\d{1,7}")) {
        int nodes = Integer.parseInt(lines.get(2));
        if (nodes >= 1 && nodes <= LocalShare.MAX_NODES) {
          if (!lines.get(1).equals(store)) {
            return OptionalInt.empty();
          }
          kept = nodes;
          return OptionalInt.of(nodes);
        }
      }
      warnings.accept("ignores the number of nodes in " + file + ": the file is damaged");
    } catch (NoSuchFileException e) {
      return OptionalInt.empty();
    } catch (CharacterCodingException e) {
      warnings.accept("ignores the number of nodes in " + file + ": the file is damaged");
    } catch (IOException | RuntimeException e) {
      warnings.accept("cannot read the number of nodes: " + e);
    }
    return OptionalInt.empty();
  }

  /**
   * Writes the number if it differs from the file, in a separate thread, because a disk may hang. A
   * failed write is repeated with the next call.
   */
  synchronized void keep(int nodes) {
    wanted = nodes;
    if (wanted != kept && !isWriting) {
      isWriting = true;
      Thread writer = new Thread(this::write, "weir-redis-state");
      writer.setDaemon(true);
      writer.start();
    }
  }

  private void write() {
    int nodes = due();
    while (nodes > 0) {
      try {
        replace(nodes);
        written(nodes);
        nodes = due();
      } catch (IOException | RuntimeException e) {
        failed(e);
        nodes = 0;
      }
    }
  }

  /** The number to write next; 0 for none. */
  private synchronized int due() {
    isWriting = wanted != kept;
    return isWriting ? wanted : 0;
  }

  private synchronized void written(int nodes) {
    kept = nodes;
    hasFailed = false;
  }

  private void replace(int nodes) throws IOException {
    Path absolute = file.toAbsolutePath();
    @Nullable Path directory = absolute.getParent();
    if (directory == null) {
      throw new IOException(file + " is not a file");
    }
    Files.createDirectories(directory);
    Path fresh = Files.createTempFile(directory, "nodes", ".tmp");
    try {
      Files.writeString(fresh, FORM + "\n" + store + "\n" + nodes + "\n");
      try {
        Files.move(fresh, absolute, StandardCopyOption.ATOMIC_MOVE);
      } catch (AtomicMoveNotSupportedException e) {
        Files.move(fresh, absolute, StandardCopyOption.REPLACE_EXISTING);
      }
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  private void failed(Exception why) {
    synchronized (this) {
      isWriting = false;
      if (hasFailed) {
        return;
      }
      hasFailed = true;
    }
    warnings.accept(
        "cannot keep the number of nodes: "
            + why
            + "; make the directory writable, or give nodes=N in the store's URL: otherwise"
            + " on_failure: local refuses after a start while Redis is away");
  }
}
