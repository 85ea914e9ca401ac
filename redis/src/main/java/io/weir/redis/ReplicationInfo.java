package io.weir.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The replication state of a server: its role, its history and its replicas.
 *
 * @param isReplica whether it is a replica itself
 * @param history the id of the history that it passes to its replicas; changes with each new
 *     primary
 * @param former the id of the previous history, from the previous primary; zeros if there was none
 * @param formerEnd the end of that history, exclusive
 * @param offset the current offset of its history
 * @param readers the connections that receive its changes
 */
record ReplicationInfo(
    boolean isReplica,
    String history,
    String former,
    long formerEnd,
    long offset,
    List<Reader> readers) {
  /**
   * A connection that receives all changes.
   *
   * @param address the host and port of a server; the port is 0 if it is not a server that accepts
   *     connections
   * @param isOnline whether it has received everything, except what is on its way
   * @param offset the offset that it has acknowledged
   */
  record Reader(String address, boolean isOnline, long offset) {
    /** Whether it could become primary; a pure reader, such as a backup, could not. */
    boolean isReplica() {
      return !address.endsWith(",port=0");
    }
  }

  /** Parses the reply to {@code INFO replication}. */
  static ReplicationInfo parse(String info) {
    Map<String, String> fields = new HashMap<>();
    List<Reader> readers = new ArrayList<>();
    info.lines()
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                String name = line.substring(0, colon);
                String value = line.substring(colon + 1).strip();
                fields.put(name, value);
                if (name.matches("slave\\d+")) {
                  readers.add(reader(value));
                }
              }
            });
    return new ReplicationInfo(
        "slave".equals(fields.get("role")),
        fields.getOrDefault("master_replid", ""),
        fields.getOrDefault("master_replid2", ""),
        number(fields.getOrDefault("second_repl_offset", "")),
        number(fields.getOrDefault("master_repl_offset", "")),
        List.copyOf(readers));
  }

  /** Such as {@code ip=10.0.0.1,port=6379,state=online,offset=42,lag=0}. */
  private static Reader reader(String text) {
    int state = text.indexOf(",state=");
    String address = state < 0 ? text : text.substring(0, state);
    String rest = (state < 0 ? "" : text.substring(state)) + ",";
    int offset = rest.indexOf(",offset=");
    return new Reader(
        address,
        rest.startsWith(",state=online,"),
        offset < 0 ? -1 : number(rest.substring(offset + 8, rest.indexOf(',', offset + 8))));
  }

  private static long number(String text) {
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
  }

  /** The number of replicas; a replica that has reconnected may be listed twice but counts once. */
  int replicas() {
    return replicasAt(-1, false);
  }

  /** How many replicas have acknowledged everything up to {@code offset}. */
  int replicasAt(long offset) {
    return replicasAt(offset, true);
  }

  private int replicasAt(long offset, boolean isOnline) {
    Set<String> found = new HashSet<>();
    for (Reader reader : readers) {
      if (reader.isReplica()
          && (!isOnline || reader.isOnline())
          && (offset < 0 || reader.offset() >= offset)) {
        found.add(reader.address());
      }
    }
    return found.size();
  }

  /** The maximum number of connected replicas that announce the same address. */
  int maxOfOneAddress() {
    Map<String, Integer> found = new HashMap<>();
    int max = 0;
    for (Reader reader : readers) {
      if (reader.isReplica() && reader.isOnline()) {
        max = Math.max(max, found.merge(reader.address(), 1, Integer::sum));
      }
    }
    return max;
  }

  /**
   * How many connections acknowledge everything up to {@code offset} but do not count as replicas.
   */
  int othersAt(long offset) {
    long all = readers.stream().filter(each -> each.isOnline() && each.offset() >= offset).count();
    return (int) all - replicasAt(offset);
  }

  /** Whether it has a previous history: of another server, or from a file. */
  boolean hasFormer() {
    return !former.isEmpty() && !former.matches("0+");
  }

  /** Whether it has all of the history {@code before} up to {@code end}. */
  boolean continues(String before, long end) {
    return history.equals(before) ? offset >= end : former.equals(before) && formerEnd > end;
  }
}
