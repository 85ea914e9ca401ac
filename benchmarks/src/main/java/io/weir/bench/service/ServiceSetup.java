package io.weir.bench.service;

import io.weir.bench.program.Cores;
import io.weir.bench.server.LoadGenerator;
import io.weir.bench.server.RunOptions;
import io.weir.bench.server.ServerComparison;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The common setup of all scenarios.
 *
 * @param options duration, rounds and contenders
 * @param cores the assignment of processes to cores
 * @param servers starts the servers under test
 * @param loadGenerator the load generator
 * @param peers the programs of peers
 */
record ServiceSetup(
    RunOptions<Scenario, Contender> options,
    Cores cores,
    Servers servers,
    LoadGenerator loadGenerator,
    Peers peers) {
  /** Whether it takes part. */
  boolean has(Contender contender) {
    return options.has(contender);
  }

  /** Its program if it takes part; prints a note if the program is missing. */
  Optional<Path> program(Contender contender) {
    if (!has(contender)) {
      return Optional.empty();
    }
    Optional<Path> program =
        switch (contender) {
          case RATELIMIT -> peers.ratelimit();
          case GUBERNATOR -> peers.gubernator();
          case LIMITADOR -> peers.limitador();
          case FLOOR, BARE, WEIR -> Optional.empty();
        };
    if (program.isEmpty()) {
      System.err.printf(
          "%s does not take part: its program was not found; set it by --%s PATH%n",
          contender.label(), contender.id());
    }
    return program;
  }

  /** A comparison of servers. */
  ServerComparison<Contender> contest(String name) {
    return new ServerComparison<>(
        "service " + name, options.schedule(), loadGenerator, cores, Contender.WEIR);
  }
}
