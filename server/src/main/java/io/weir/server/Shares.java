package io.weir.server;

/**
 * How many may be connected to each port. A connection is a file to the system, a process may have
 * only so many open, and some have to be left for everything else: whoever connects to the gateway
 * may need a connection to a server too.
 *
 * <p>With 1024 files: 341 for clients of the gateway, as many for the servers behind it, 170 for
 * the service, 42 for the admin port, and 130 for the store, the rules, the log and the libraries.
 */
record Shares(int gateway, int service, int admin) {
  /**
   * What each port gets.
   *
   * @param most at any of them, however many fit
   * @param files that the process may have open
   */
  static Shares of(int most, long files) {
    return new Shares(fit(most, files / 3), fit(most, files / 6), fit(most, files / 24));
  }

  private static int fit(int most, long files) {
    return (int) Math.max(1, Math.min(most, files));
  }
}
