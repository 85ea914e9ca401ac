package io.weir.chaos;

import java.util.List;

/**
 * A place in a network where a process lives.
 *
 * @param address by which the others reach it
 * @param entrance what a command begins with to be run there
 */
record Peer(String name, String address, List<String> entrance) {
  @Override
  public String toString() {
    return name;
  }
}
