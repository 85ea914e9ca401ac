package io.weir.chaos;

import io.weir.rig.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A network namespace for each peer, and one with a bridge that connects them. They are invisible
 * from outside, and end with the processes that hold them.
 *
 * <pre>
 *   node-1        node-2        server-1
 *   10.77.0.1     10.77.0.2     10.77.0.3
 *       └─────────────┼─────────────┘
 *                  bridge
 * </pre>
 *
 * <p>A path is cut by giving the sender an unused hardware address for the receiver. Packets leave
 * and never arrive, without an error, and the opposite direction still works.
 */
final class NamespaceNetwork implements ClusterNetwork {
  private static final String PREFIX = "10.77.0.";
  private static final String NOBODY = "02:00:00:00:00:00";

  private final Program bridge;
  private final Map<Peer, Program> holders = new LinkedHashMap<>();
  private final Set<List<Peer>> cuts = new LinkedHashSet<>();

  private NamespaceNetwork(Program bridge) {
    this.bridge = bridge;
  }

  /** A network without peers, if this process may create namespaces. */
  static Optional<NamespaceNetwork> open() {
    for (String tool : List.of("unshare", "nsenter", "ip", "sleep")) {
      if (Program.find(tool).isEmpty()) {
        return Optional.empty();
      }
    }
    NamespaceNetwork opened;
    try {
      opened = new NamespaceNetwork(hold("bridge"));
    } catch (IllegalStateException notAllowed) {
      return Optional.empty();
    }
    try {
      ip(opened.bridge, "link", "add", "bridge", "type", "bridge");
      ip(opened.bridge, "link", "set", "bridge", "up");
      opened.join("probe");
      return Optional.of(opened);
    } catch (IllegalStateException notAllowed) {
      opened.close();
      return Optional.empty();
    }
  }

  @Override
  public synchronized Peer join(String name) {
    Program holder = hold(name);
    int number = holders.size() + 1;
    Peer peer = new Peer(name, PREFIX + number, enter(holder));
    holders.put(peer, holder);
    String port = "port" + number;
    String place = Long.toString(holder.pid());
    ip(bridge, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", place);
    ip(bridge, "link", "set", port, "master", "bridge", "up");
    ip(holder, "address", "add", peer.address() + "/24", "dev", "eth0");
    ip(holder, "link", "set", "lo", "up");
    ip(holder, "link", "set", "eth0", "up");
    return peer;
  }

  @Override
  public boolean canBeCut() {
    return true;
  }

  @Override
  public synchronized void cut(Peer from, Peer to) {
    if (cuts.add(List.of(from, to))) {
      neighbour(from, "replace", to, "lladdr", NOBODY, "nud", "permanent");
    }
  }

  @Override
  public synchronized void heal() {
    for (List<Peer> cut : cuts) {
      neighbour(cut.get(0), "del", cut.get(1));
    }
    cuts.clear();
  }

  private void neighbour(Peer at, String verb, Peer other, String... words) {
    List<String> all = new ArrayList<>(List.of("neighbour", verb, other.address(), "dev", "eth0"));
    all.addAll(List.of(words));
    ip(holders.get(at), all.toArray(String[]::new));
  }

  private static Program hold(String name) {
    Path directory = Program.directory("net-" + name);
    List<String> command =
        List.of("unshare", "--net", "sh", "-c", ": >apart && exec sleep infinity");
    return Program.start(directory, command, () -> Files.exists(directory.resolve("apart")));
  }

  private static List<String> enter(Program holder) {
    return List.of("nsenter", "--target", Long.toString(holder.pid()), "--net");
  }

  private static void ip(Program where, String... words) {
    List<String> command = new ArrayList<>(enter(where));
    command.add("ip");
    command.addAll(List.of(words));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(command + " hangs");
      }
      if (process.exitValue() != 0) {
        String said =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        throw new IllegalStateException(command + ": " + said);
      }
    } catch (IOException e) {
      throw new IllegalStateException(command + " cannot be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public synchronized void close() {
    holders.values().forEach(Program::close);
    bridge.close();
  }

  @Override
  public String toString() {
    return "network namespaces";
  }
}
