package io.weir.bench.service;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.program.Cores;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The common setup of all scenarios.
 *
 * @param options duration, rounds and contenders
 * @param cores the assignment of processes to cores
 * @param servers starts the servers under test
 * @param asker the load generator
 * @param peers the programs of peers
 */
record Stage(
    RunOptions<Scenario, Contender> options,
    Cores cores,
    Servers servers,
    Asker asker,
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
  Contest<Contender> contest(String name) {
    return new Contest<>("service " + name, options.schedule(), asker, cores, Contender.WEIR);
  }
}
