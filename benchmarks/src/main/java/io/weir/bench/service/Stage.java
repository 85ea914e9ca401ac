package io.weir.bench.service;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.program.Cores;
import io.weir.bench.race.Schedule;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * What all scenarios share.
 *
 * @param schedule how long and how often to measure
 * @param cores who runs where
 * @param servers starts what is to be measured
 * @param asker asks it
 * @param peers the programs of others
 * @param only who takes part; empty: everybody
 */
record Stage(
    Schedule schedule,
    Cores cores,
    Servers servers,
    Asker asker,
    Peers peers,
    Set<Contender> only) {
  /** Whether it is to take part. */
  boolean has(Contender contender) {
    return only.isEmpty() || only.contains(contender);
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
    return new Contest<>("service " + name, schedule, asker, cores, Contender.WEIR);
  }
}
