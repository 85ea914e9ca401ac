package io.weir.bench.redis;

import io.weir.bench.fork.MachineLoad;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
import io.weir.bench.program.RedisServer;
import io.weir.bench.redis.node.Client;
import io.weir.bench.rounds.Rounds;
import io.weir.bench.rounds.Schedule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The common setup of all scenarios: duration and number of measurements, and the assignment of
 * processes to cores.
 */
final class RedisSetup {
  /** Parameters with a long timeout. */
  static final String PATIENT = "timeout=5s";

  private final Schedule schedule;
  private final List<Client> clients;
  private final String settings;
  private final List<String> variants;
  private final Optional<Path> flights;
  private final Cores cores = new Cores();
  private final Path program;
  private final Path redisBenchmark;
  private String version = "";

  /**
   * @param clients the contenders
   * @param settings parameters of Weir's URL
   * @param variants other parameters of Weir's URL, to be compared
   * @param flights the directory for JVMs' flight recordings, if any
   */
  RedisSetup(
      Schedule schedule,
      List<Client> clients,
      String settings,
      List<String> variants,
      Optional<Path> flights)
      throws IOException {
    this.schedule = schedule;
    this.clients = clients;
    this.settings = settings;
    this.variants = variants;
    this.flights = flights;
    program = Programs.redisServer();
    redisBenchmark = Programs.redisBenchmark();
  }

  int rounds() {
    return schedule.rounds();
  }

  int millis() {
    return schedule.millis();
  }

  int warmUpMillis() {
    return schedule.warmUpMillis();
  }

  MachineLoad machineLoad() {
    return schedule.machineLoad();
  }

  /** The version of Redis, once one has run. */
  String version() {
    return version;
  }

  /** The {@code candidates} that take part. */
  List<Client> among(Client... candidates) {
    List<Client> chosen = new ArrayList<>(List.of(candidates));
    chosen.retainAll(clients);
    return chosen;
  }

  RedisServer server() throws IOException {
    RedisServer server = new RedisServer(program, cores::atServer);
    version = server.version();
    return server;
  }

  /** JVMs with {@code client}, on all cores until they are pinned. */
  Fleet fleet(Client client, RedisServer server, int nodes) throws IOException {
    return new Fleet(client, server, nodes, cores, settings, client.label(), flights);
  }

  /** The same with separate parameters of Weir's URL. */
  Fleet fleet(Client client, RedisServer server, int nodes, String parameters) throws IOException {
    return new Fleet(client, server, nodes, cores, parameters, client.label(), flights);
  }

  /** A server that follows {@code primary}, if there is a core for it. */
  RedisServer replicaOf(RedisServer primary) throws IOException {
    RedisServer replica = new RedisServer(program, cores::atStore);
    replica.follow(primary);
    return replica;
  }

  /** JVMs with Weir for each of the variants. */
  List<Fleet> variants(int nodes) throws IOException {
    List<Fleet> fleets = new ArrayList<>();
    for (String variant : variants) {
      String label = Client.WEIR.label() + ", " + variant;
      fleets.add(new Fleet(Client.WEIR, server(), nodes, cores, variant, label, flights));
    }
    return fleets;
  }

  /** A JVM with Weir and a long timeout for Redis: for counts, not for measurements. */
  Fleet weirWithLongTimeout(RedisServer server) throws IOException {
    return new Fleet(Client.WEIR, server, 1, cores, PATIENT, Client.WEIR.label(), Optional.empty());
  }

  RedisBenchmark redisBenchmark(RedisServer server) {
    return new RedisBenchmark(redisBenchmark, server, cores);
  }

  /** A race with this schedule. */
  Rounds<Sample> race(String name) {
    return new Rounds<>(
        "redis " + name,
        schedule,
        sample -> "%.1f thousand/s".formatted(sample.perSecond() / 1000));
  }

  /** Runs a measurement, and records whether the machine is quiet meanwhile. */
  <T> T watch(Schedule.Measurement<T> measurement) throws IOException, InterruptedException {
    return schedule.watch(measurement);
  }
}
