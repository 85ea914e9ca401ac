package io.weir.cli.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process when it is out of memory, whatever options Java was started with. A server that
 * keeps running without responding is worse than one that is restarted.
 *
 * <p>Everything needed for that is allocated at the start.
 */
public final class MemoryExhaustion {
  /*
   * An OutOfMemoryError can occur in any thread, and most threads catch everything. Three paths
   * lead here:
   *
   *   a thread that ends by it         the default handler of uncaught errors
   *   an event loop that catches it    logs it, and a handler of the root logger sees that
   *   others that catch it             a thread that needs a little memory each second, too
   */

  static final int EXIT_CODE = 3; // as with -XX:+ExitOnOutOfMemoryError

  private static final long PROBE_MILLIS = 1000;
  private static final int PROBE_BYTES = 64 * 1024;
  private static final int MAX_CAUSES = 20;

  private static final byte[] MESSAGE =
      ("weir serve: out of memory; the process ends, so that it can be started again. Give it more"
              + " heap (-Xmx), or lower --max-keys or --max-connections.\n")
          .getBytes(UTF_8);

  private static final FileOutputStream ERR = new FileOutputStream(FileDescriptor.err);

  @SuppressWarnings("unused") // so that the memory is really allocated
  private static volatile byte @Nullable [] probe;

  private MemoryExhaustion() {}

  /** From now on the process ends when it is out of memory. */
  public static void endsProcess() {
    prepare();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          endIfExhausted(thrown);
          if (before == null) {
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            thrown.printStackTrace();
          } else {
            before.uncaughtException(thread, thrown);
          }
        });
    Logger.getLogger("").addHandler(new OutOfMemoryHandler());
    Thread prober = new Thread(MemoryExhaustion::probe, "weir-memory");
    prober.setDaemon(true);
    prober.start();
  }

  /** Loads the classes needed at the end, because there is no memory for them then. */
  private static void prepare() {
    try {
      Class.forName("java.lang.Shutdown");
      ERR.write(MESSAGE, 0, 0);
    } catch (ClassNotFoundException | IOException e) {
      // another JVM, or no stderr: the end may be less orderly
    }
    endIfExhausted(null);
  }

  private static void probe() {
    try {
      while (true) {
        Thread.sleep(PROBE_MILLIS);
        probe = new byte[PROBE_BYTES];
        probe = null;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (OutOfMemoryError e) {
      end();
    }
  }

  private static void endIfExhausted(@Nullable Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof OutOfMemoryError) {
        end();
      }
      cause = cause.getCause();
    }
  }

  private static void end() {
    try {
      ERR.write(MESSAGE);
    } catch (IOException e) {
      // there is no other place to report it
    } finally {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }

  /** Watches the log records. */
  private static final class OutOfMemoryHandler extends Handler {
    OutOfMemoryHandler() {
      setLevel(Level.ALL);
    }

    @Override
    public void publish(LogRecord line) {
      endIfExhausted(line.getThrown());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
