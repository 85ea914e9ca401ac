package io.weir.bench.redis;

import io.weir.bench.fork.Quietness;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
import io.weir.bench.program.RedisServer;
import io.weir.bench.race.Race;
import io.weir.bench.race.Schedule;
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
   * @param clients who takes part
   * @param settings parameters of Weir's URL
   * @param variants other parameters of Weir's URL, to be compared
   * @param flights where measuring JVMs leave flight recordings, if anywhere
   */
  Stage(
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

  Quietness quietness() {
    return schedule.quietness();
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

  RedisServer server() throws IOException {
    RedisServer server = new RedisServer(program, cores::atServer);
    version = server.version();
    return server;
  }

  /** JVMs with {@code client}, on all cores until they are pinned. */
  Fleet fleet(Client client, RedisServer server, int nodes) throws IOException {
    return new Fleet(client, server, nodes, cores, settings, client.label(), flights);
  }

  /** The same with parameters of Weir's URL of their own. */
  Fleet fleet(Client client, RedisServer server, int nodes, String parameters) throws IOException {
    return new Fleet(client, server, nodes, cores, parameters, client.label(), flights);
  }

  /** A server that follows {@code primary}, where there is a core for it. */
  RedisServer replicaOf(RedisServer primary) throws IOException {
    RedisServer replica = new RedisServer(program, cores::atStore);
    replica.follow(primary);
    return replica;
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
  Fleet patientWeir(RedisServer server) throws IOException {
    return new Fleet(Client.WEIR, server, 1, cores, PATIENT, Client.WEIR.label(), Optional.empty());
  }

  RedisBenchmark redisBenchmark(RedisServer server) {
    return new RedisBenchmark(redisBenchmark, server, cores);
  }

  /** A race by this stage's schedule. */
  Race<Sample> race(String name) {
    return new Race<>(
        "redis " + name,
        schedule,
        sample -> "%.1f thousand/s".formatted(sample.perSecond() / 1000));
  }

  /** Watches whether the machine is quiet meanwhile. */
  <T> T watch(Schedule.Measurement<T> measurement) throws IOException, InterruptedException {
    return schedule.watch(measurement);
  }
}
