package io.weir.rig;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ensures that no server and no file outlives this JVM.
 *
 * <p>A shell process holds the other end of a pipe, and receives the ids of all servers. When this
 * JVM ends, even by {@code kill -9}, the pipe closes. The shell then kills the remaining servers
 * with their descendants, and deletes our directory.
 */
public final class ProcessReaper {
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      pids=' '
      while read -r verb pid; do
        case $verb in
          born) pids="$pids$pid " ;;
          died)
            case $pids in
              *" $pid "*) pids="${pids%% $pid *} ${pids#* $pid }" ;;
            esac
            ;;
        esac
      done
      # A stopped process starts no other: first it, then its children, then theirs.
      end() {
        while [ $# -gt 0 ]; do
          kill -STOP "$1"
          end $(cat "/proc/$1/task"/*/children)
          kill -9 "$1"
          shift
        done
      }
      end $pids
      rm -rf "$0"
      """;

  private static final ProcessReaper ONLY = new ProcessReaper();

  private final Path root;
  private final OutputStream orders;
  private int directories;

  private ProcessReaper() {
    try {
      root = Files.createTempDirectory("weir-rig-");
      Process shell =
          new ProcessBuilder("/bin/sh", "-c", SCRIPT, root.toString())
              .directory(Path.of("/").toFile())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      orders = shell.getOutputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A new directory, deleted at the end. */
  public static Path directory(String name) {
    return ONLY.newDirectory(name);
  }

  /** Registers a process that must not outlive this JVM. */
  public static void born(Process process) {
    ONLY.send("born " + process.pid());
  }

  /** Unregisters a process that has ended: its id may be reused. */
  public static void died(Process process) {
    ONLY.send("died " + process.pid());
  }

  private synchronized Path newDirectory(String name) {
    try {
      return Files.createDirectory(root.resolve(name + "-" + ++directories));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void send(String order) {
    try {
      orders.write((order + "\n").getBytes(StandardCharsets.US_ASCII));
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
