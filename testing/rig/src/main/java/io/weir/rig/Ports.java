package io.weir.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of the loopback interface.
 *
 * <p>They are below the ephemeral range. Otherwise a client that retries a dead server could
 * connect to itself. The port 10000 higher is free too, because the nodes of a Redis cluster use it
 * among themselves.
 */
public final class Ports {
  private static final int LOWEST = 10_000;
  private static final int HIGHEST = 22_000;
  private static final int BUS = 10_000;

  private Ports() {}

  /** A port that is free now. */
  public static int free() {
    for (int i = 0; i < 10_000; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (isFree(port) && isFree(port + BUS)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port");
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
