package io.weir.server;

/**
 * The connection limit of each port. Each connection uses a file descriptor, and a process may have
 * only so many open. Some must be left for everything else: a client of the gateway may need an
 * upstream connection too.
 *
 * <p>With 1024 files: 341 for clients of the gateway, as many for upstreams, 170 for the service,
 * 42 for the admin port, and 130 for the store, the rules, the log and the libraries.
 */
record ConnectionShares(int gateway, int service, int admin) {
  /**
   * The limit of each port.
   *
   * @param maxConnections the configured limit of each port, however many fit
   * @param files how many files the process may have open
   */
  static ConnectionShares of(int maxConnections, long files) {
    return new ConnectionShares(
        fit(maxConnections, files / 3),
        fit(maxConnections, files / 6),
        fit(maxConnections, files / 24));
  }

  private static int fit(int maxConnections, long files) {
    return (int) Math.max(1, Math.min(maxConnections, files));
  }
}
