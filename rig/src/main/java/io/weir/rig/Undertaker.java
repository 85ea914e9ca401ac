package io.weir.rig;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sees to it that nothing outlives this JVM: no server, no file.
 *
 * <p>A shell of its own holds the other end of a pipe and is told of every server. However this JVM
 * ends, by {@code kill -9} too, the pipe ends with it: then the shell kills what is left, with
 * those whom it has started, and removes our directory.
 */
public final class Undertaker {
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

  private static final Undertaker ONLY = new Undertaker();

  private final Path root;
  private final OutputStream orders;
  private int directories;

  private Undertaker() {
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

  /** A new directory, which is removed in the end. */
  public static Path directory(String name) {
    return ONLY.newDirectory(name);
  }

  /** A process that must not outlive us. */
  public static void born(Process process) {
    ONLY.tell("born " + process.pid());
  }

  /** A process that has ended: its number may be given to somebody else. */
  public static void died(Process process) {
    ONLY.tell("died " + process.pid());
  }

  private synchronized Path newDirectory(String name) {
    try {
      return Files.createDirectory(root.resolve(name + "-" + ++directories));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void tell(String order) {
    try {
      orders.write((order + "\n").getBytes(StandardCharsets.US_ASCII));
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
