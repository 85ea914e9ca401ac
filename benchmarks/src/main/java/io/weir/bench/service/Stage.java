package io.weir.bench.service;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.program.Cores;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What all scenarios share.
 *
 * @param options how long and how often to measure, and whom
 * @param cores who runs where
 * @param servers starts what is to be measured
 * @param asker asks it
 * @param peers the programs of others
 */
record Stage(
    RunOptions<Scenario, Contender> options,
    Cores cores,
    Servers servers,
    Asker asker,
    Peers peers) {
  /** Whether it is to take part. */
  boolean has(Contender contender) {
    return options.has(contender);
  }

  /** Its program if it is to take part; says so where it cannot. */
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
          "%s does not take part: its program is not here; say where by --%s PATH%n",
          contender.label(), contender.id());
    }
    return program;
  }

  /** A race of servers. */
  Contest<Contender> contest(String name) {
    return new Contest<>("service " + name, options.schedule(), asker, cores, Contender.WEIR);
  }
}
