package io.weir.server.gateway;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The connections that a program holds open, as Linux counts them. */
final class Sockets {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

  private Sockets() {}

  /** The number of connections to a local port that are open on the client's side. */
  static long to(int port) throws IOException {
    return count(2, port);
  }

  /** The number of connections to a port that are open on the listener's side. */
  static long from(int port) throws IOException {
    return count(1, port);
  }

  private static long count(int column, int port) throws IOException {
    assumeTrue(Files.isReadable(TABLES.get(0)), "Linux only");
    String end = ":" + String.format(Locale.ROOT, "%04X", port);
    long open = 0;
    for (Path table : TABLES) {
      if (Files.isReadable(table)) {
        open +=
            Files.readAllLines(table).stream()
                .map(line -> line.strip().split("\\s+"))
                .filter(
                    fields ->
                        fields[column].endsWith(end)
                            && !isClosed(fields[9])
                            && !isListening(fields[3]))
                .count();
      }
    }
    return open;
  }

  /** Closing connections that only the kernel still holds are not counted. */
  private static boolean isClosed(String inode) {
    return inode.equals("0");
  }

  private static boolean isListening(String state) {
    return state.equals("0A");
  }
}
