package io.weir.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a server tells of its replication: whose copy it is, and what copies it.
 *
 * @param isReplica whether it copies another itself
 * @param history the id of what it hands on to its replicas; another after each change of primary
 * @param former the id of what it had before, from the primary before; zeros if there was none
 * @param formerEnd up to where it has that, exclusively
 * @param offset how far its history is
 * @param readers what reads along
 */
record Replication(
    boolean isReplica,
    String history,
    String former,
    long formerEnd,
    long offset,
    List<Reader> readers) {
  /**
   * A connection to which all changes are sent.
   *
   * @param address the host and port of a server; the port is 0 if it is none that could be asked
   * @param isOnline whether it has got all up to the present, but for what is on its way
   * @param offset up to where it has acknowledged
   */
  record Reader(String address, boolean isOnline, long offset) {
    /** Whether it can become primary: not so what only reads, as a backup. */
    boolean isReplica() {
      return !address.endsWith(",port=0");
    }
  }

  /** Reads the reply to {@code INFO replication}. */
  static Replication parse(String info) {
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
    return new Replication(
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

  /** How many replicas there are: one that has connected anew may be listed twice. */
  int replicas() {
    return replicasAt(-1, false);
  }

  /** How many replicas have acknowledged all up to {@code offset}. */
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

  /** The most replicas that are connected and announce the same address. */
  int mostOfOneAddress() {
    Map<String, Integer> found = new HashMap<>();
    int most = 0;
    for (Reader reader : readers) {
      if (reader.isReplica() && reader.isOnline()) {
        most = Math.max(most, found.merge(reader.address(), 1, Integer::sum));
      }
    }
    return most;
  }

  /** How many lines acknowledge all up to {@code offset}, and do not count. */
  int othersAt(long offset) {
    long all = readers.stream().filter(each -> each.isOnline() && each.offset() >= offset).count();
    return (int) all - replicasAt(offset);
  }

  /** Whether it knows a history of before its own: another server's, or that of a file. */
  boolean hasFormer() {
    return !former.isEmpty() && !former.matches("0+");
  }

  /** Whether it has all of the history {@code before} up to {@code end}. */
  boolean continues(String before, long end) {
    return history.equals(before) ? offset >= end : former.equals(before) && formerEnd > end;
  }
}
