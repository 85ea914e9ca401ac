package io.weir.chaos;

import java.util.List;

/**
 * A place in a network where a process runs.
 *
 * @param address by which the others reach it
 * @param entrance the command prefix that starts a process there
 */
record Peer(String name, String address, List<String> entrance) {
  @Override
  public String toString() {
    return name;
  }
}
