package io.weir.bench.redis;

import io.weir.bench.fork.OwnTime;
import io.weir.bench.fork.Quietness;
import io.weir.bench.redis.node.Client;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What all scenarios share: how long and how often to measure, and where who runs. */
final class Stage {
  /** Parameters for who is in no hurry. */
  static final String PATIENT = "timeout=5s";

  private final int rounds;
  private final int millis;
  private final int warmUpMillis;
  private final List<Client> clients;
  private final String settings;
  private final List<String> variants;
  private final Optional<Path> flights;
  private final Cores cores = new Cores();
  private final Path program;
  private final Path redisBenchmark;
  private final Quietness quietness = new Quietness();
  private String version = "";

  /**
   * @param clients who takes part
   * @param settings parameters of Weir's URL
   * @param variants other parameters of Weir's URL, to be compared
   * @param flights where measuring JVMs leave flight recordings, if anywhere
   */
  Stage(
      int rounds,
      int millis,
      int warmUpMillis,
      List<Client> clients,
      String settings,
      List<String> variants,
      Optional<Path> flights)
      throws IOException {
    this.rounds = rounds;
    this.millis = millis;
    this.warmUpMillis = warmUpMillis;
    this.clients = clients;
    this.settings = settings;
    this.variants = variants;
    this.flights = flights;
    program = Programs.server();
    redisBenchmark = Programs.redisBenchmark();
  }

  int rounds() {
    return rounds;
  }

  int millis() {
    return millis;
  }

  int warmUpMillis() {
    return warmUpMillis;
  }

  Quietness quietness() {
    return quietness;
  }

  /** The version of Redis, once there was one. */
  String version() {
    return version;
  }

  /** Those of {@code candidates} that are to take part. */
  List<Client> among(Client... candidates) {
    List<Client> chosen = new ArrayList<>(List.of(candidates));
    chosen.retainAll(clients);
    return chosen;
  }

  Server server() throws IOException {
    Server server = new Server(program, cores);
    version = server.version();
    return server;
  }

  /** JVMs with {@code client}, on all cores until they are pinned. */
  Fleet fleet(Client client, Server server, int nodes) throws IOException {
    return new Fleet(client, server, nodes, cores, settings, client.label(), flights);
  }

  /** JVMs with Weir for each of the variants that are to be compared. */
  List<Fleet> variants(int nodes) throws IOException {
    List<Fleet> fleets = new ArrayList<>();
    for (String variant : variants) {
      String label = Client.WEIR.label() + ", " + variant;
      fleets.add(new Fleet(Client.WEIR, server(), nodes, cores, variant, label, flights));
    }
    return fleets;
  }

  /** A JVM with Weir that waits for Redis however long it takes: to count, not to measure. */
  Fleet patientWeir(Server server) throws IOException {
    return new Fleet(Client.WEIR, server, 1, cores, PATIENT, Client.WEIR.label(), Optional.empty());
  }

  RedisBenchmark redisBenchmark(Server server) {
    return new RedisBenchmark(redisBenchmark, server, cores);
  }

  /** Something that takes its time. */
  interface Measurement<T> {
    T run() throws IOException, InterruptedException;
  }

  /** Watches whether the machine is quiet meanwhile. */
  <T> T watch(Measurement<T> measurement) throws IOException, InterruptedException {
    Quietness.Before before = quietness.before();
    long own = OwnTime.nanos();
    T result = measurement.run();
    quietness.after(before, OwnTime.nanos() - own);
    return result;
  }
}
