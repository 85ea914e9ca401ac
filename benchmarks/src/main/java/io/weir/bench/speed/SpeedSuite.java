package io.weir.bench.speed;

import io.weir.bench.contender.Contender;
import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rounds in which every contender is measured once, each in a fresh JVM.
 *
 * <p>Within a round the loads come in random order, and so do the contenders under each load. Those
 * that are compared are measured within a minute or so of each other, and none is always first. A
 * machine that is slow for a while is slow for all of them; the report uses the ratio within a
 * round.
 */
public final class SpeedSuite {
  private final Set<Suite> suites;
  private final Plan plan;
  private final CaseDuration caseDuration;
  private final int rounds;
  private final Path raw;
  private final Samples samples = new Samples();
  private final Set<String> failures = new TreeSet<>();

  /**
   * @param only the contenders to measure; all if empty
   * @param loads the loads to measure; all if empty
   * @param raw a CSV file that every measurement is appended to
   */
  public SpeedSuite(
      Set<Suite> suites,
      boolean quick,
      Set<Contender> only,
      Set<Load> loads,
      int rounds,
      CaseDuration caseDuration,
      Path raw) {
    this.suites = suites;
    this.caseDuration = caseDuration;
    this.rounds = rounds;
    this.raw = raw;
    plan = Plan.of(suites, quick);
    plan.keepOnly(only, loads);
  }

  /** Measures, and returns the results. */
  public List<Section> run(ChildJvm jvm) throws InterruptedException, IOException {
    Files.writeString(raw, "round,case,contender,ns\n");
    for (int round = 1; round <= rounds; round++) {
      for (Plan.Trial trial : shuffled(round)) {
        measure(jvm, trial, round);
      }
    }
    List<Section> sections = new ArrayList<>();
    SpeedReport report = new SpeedReport(samples, rounds, failures);
    if (suites.contains(Suite.HOT)) {
      sections.add(report.hot());
    }
    if (suites.contains(Suite.KEYS)) {
      sections.add(report.keys());
    }
    if (suites.contains(Suite.ALGORITHMS)) {
      sections.add(report.algorithms());
    }
    return sections;
  }

  private List<Plan.Trial> shuffled(int round) {
    Random random = new Random(round);
    List<Load> loads = new ArrayList<>(plan.loads());
    Collections.shuffle(loads, random);
    List<Plan.Trial> trials = new ArrayList<>();
    for (Load load : loads) {
      List<Plan.Trial> contenders = plan.trials(load);
      Collections.shuffle(contenders, random);
      trials.addAll(contenders);
    }
    return trials;
  }

  private void measure(ChildJvm jvm, Plan.Trial trial, int round)
      throws InterruptedException, IOException {
    List<String> args = new ArrayList<>();
    args.add(trial.contender().id());
    args.add(trial.load().id());
    args.add(String.valueOf(caseDuration.warmupMillis()));
    args.add(String.valueOf(caseDuration.measureMillis()));
    args.add(String.valueOf(caseDuration.iterations()));
    args.addAll(trial.methods());
    StringBuilder progress = new StringBuilder();
    progress.append("round " + round + "/" + rounds + "  " + trial.load().id());
    progress.append("  " + trial.contender().id());
    try {
      for (ChildLine childLine : jvm.run(SpeedChild.class, trial.load().jvmFlags(), args)) {
        String name = childLine.text(0);
        double nanos = childLine.number(1);
        samples.add(name, trial.contender(), round, nanos);
        progress.append("  " + name.substring(name.indexOf('/') + 1) + " " + Numbers.three(nanos));
        Files.writeString(
            raw,
            round + "," + name + "," + trial.contender().id() + "," + nanos + "\n",
            StandardOpenOption.APPEND);
      }
    } catch (ChildJvm.Failed e) {
      failures.add(trial.contender().label() + " under " + trial.load().id());
      progress.append("  FAILED: " + e.getMessage());
    }
    System.err.println(progress);
  }
}
