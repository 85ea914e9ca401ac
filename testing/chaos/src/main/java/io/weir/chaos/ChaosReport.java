package io.weir.chaos;

import io.weir.Consistency;
import io.weir.chaos.ScheduleResult.Availability;
import io.weir.chaos.ScheduleResult.ContractResult;
import io.weir.chaos.audit.Violation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The results of all schedules, as tables. */
final class ChaosReport {
  private static final int ERRORS = 5; // shown per schedule; further ones repeat them

  private final Map<Consistency, ConsistencyTotals> lines = new EnumMap<>(Consistency.class);
  private final Map<InjectedFault, Map<Consistency, long[]>> shares = new TreeMap<>();
  private final Map<TargetedScenario, Map<Consistency, Hits>> targetedScenarios =
      new EnumMap<>(TargetedScenario.class);
  private final List<String> broken = new ArrayList<>();
  private long schedules;
  private long rebuilt;

  /** All results of one consistency. */
  private static final class ConsistencyTotals {
    long schedules;
    long keeping;
    long grants;
    long idle;
    long leased;
    long violationsKept;
    long violationsLost;
    double worst;
  }

  /** All results of one attack and one consistency. */
  private static final class Hits {
    long schedules;
    long grants;
    long over; // schedules with users above the limit
    long users;
  }

  synchronized void add(ScheduleResult scheduleResult) {
    schedules++;
    for (ContractResult contractResult : scheduleResult.contractResults()) {
      add(scheduleResult, contractResult);
      scheduleResult
          .schedule()
          .targetedScenario()
          .ifPresent(targetedScenario -> add(targetedScenario, contractResult));
    }
    addBroken(scheduleResult);
  }

  /** Adds promises broken during the warm-up, which count as well. */
  synchronized void addBroken(ScheduleResult scheduleResult) {
    if (!scheduleResult.disorderly().isEmpty()) {
      broken.add(
          replay(scheduleResult)
              + ": decided before asked or after heard: "
              + scheduleResult.disorderly());
    }
    scheduleResult.errors().stream()
        .limit(ERRORS)
        .forEach(it -> broken.add(replay(scheduleResult) + ": " + it));
    scheduleResult.unserved().ifPresent(node -> broken.add(replay(scheduleResult) + ": " + node));
    for (ContractResult contractResult : scheduleResult.broken()) {
      for (Violation violation : contractResult.broken()) {
        String what =
            contractResult.contract() + ", " + violation.toString(scheduleResult.origin());
        broken.add(replay(scheduleResult) + ": " + what);
      }
    }
  }

  /** Counts a cluster that failed; its schedule runs again on another. */
  synchronized void addRebuilt() {
    rebuilt++;
  }

  private void add(ScheduleResult scheduleResult, ContractResult contractResult) {
    Consistency consistency = contractResult.contract().consistency();
    ConsistencyTotals consistencyTotals =
        lines.computeIfAbsent(consistency, it -> new ConsistencyTotals());
    consistencyTotals.schedules++;
    consistencyTotals.keeping += scheduleResult.keptData() ? 1 : 0;
    consistencyTotals.grants += contractResult.grants();
    consistencyTotals.idle += contractResult.grants() == 0 ? 1 : 0;
    consistencyTotals.leased += contractResult.leased();
    for (Violation violation : contractResult.violations()) {
      if (scheduleResult.keptData()) {
        consistencyTotals.violationsKept++;
      } else {
        consistencyTotals.violationsLost++;
      }
      consistencyTotals.worst =
          Math.max(consistencyTotals.worst, (double) violation.count() / violation.allowed());
    }
    for (Availability share : contractResult.shares()) {
      long[] count =
          shares
              .computeIfAbsent(share.injectedFault(), it -> new EnumMap<>(Consistency.class))
              .computeIfAbsent(consistency, it -> new long[2]);
      count[0] += share.due();
      count[1] += share.refused();
    }
  }

  private void add(TargetedScenario targetedScenario, ContractResult contractResult) {
    Hits hits =
        targetedScenarios
            .computeIfAbsent(targetedScenario, it -> new EnumMap<>(Consistency.class))
            .computeIfAbsent(contractResult.contract().consistency(), it -> new Hits());
    hits.schedules++;
    hits.grants += contractResult.grants();
    hits.over += contractResult.violations().isEmpty() ? 0 : 1;
    hits.users += contractResult.violations().size();
  }

  private static String replay(ScheduleResult scheduleResult) {
    return scheduleResult.schedule().isWarmUp()
        ? "before the first schedule"
        : scheduleResult.schedule().replay() + " (" + scheduleResult.schedule() + ")";
  }

  /** The number of schedules run. */
  synchronized long schedules() {
    return schedules;
  }

  /** The number of grants of {@code consistency}. */
  synchronized long grants(Consistency consistency) {
    ConsistencyTotals consistencyTotals = lines.get(consistency);
    return consistencyTotals == null ? 0 : consistencyTotals.grants;
  }

  /** The number of grants of {@code consistency} in schedules of an attack. */
  synchronized long grants(TargetedScenario targetedScenario, Consistency consistency) {
    Hits hits = targetedScenarios.getOrDefault(targetedScenario, Map.of()).get(consistency);
    return hits == null ? 0 : hits.grants;
  }

  /** The kinds of attack without a schedule in this run. */
  synchronized List<TargetedScenario> untried() {
    return Stream.of(TargetedScenario.values())
        .filter(targetedScenario -> !targetedScenarios.containsKey(targetedScenario))
        .toList();
  }

  /**
   * The kinds that should make Redis lose data, and did not: {@code exact} never exceeded a limit.
   * Their schedules prove nothing about the other consistencies.
   */
  synchronized List<TargetedScenario> missed() {
    return targetedScenarios.entrySet().stream()
        .filter(kind -> kind.getKey().losesData())
        .filter(kind -> kind.getValue().getOrDefault(Consistency.EXACT, new Hits()).over == 0)
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * The number of schedules in which {@code consistency} granted nothing, so that it was not
   * tested.
   */
  synchronized long idle(Consistency consistency) {
    ConsistencyTotals consistencyTotals = lines.get(consistency);
    return consistencyTotals == null ? 0 : consistencyTotals.idle;
  }

  /** The number of users of {@code consistency} above the limit, whether or not promised. */
  synchronized long violations(Consistency consistency) {
    ConsistencyTotals consistencyTotals = lines.get(consistency);
    return consistencyTotals == null
        ? 0
        : consistencyTotals.violationsKept + consistencyTotals.violationsLost;
  }

  /** The number of grants from a lease. */
  synchronized long leased() {
    return lines.values().stream().mapToLong(consistencyTotals -> consistencyTotals.leased).sum();
  }

  /** Broken promises, and how to reproduce them. */
  synchronized List<String> broken() {
    return List.copyOf(broken);
  }

  /** The tables, line by line. */
  synchronized List<String> toLines() {
    List<String> text = new ArrayList<>();
    text.add(
        "| consistency | schedules | of these Redis kept its data | yeses | of these leased | users over the limit,"
            + " data kept | data lost | most seen, of what is allowed |");
    text.add("|---|---|---|---|---|---|---|---|");
    lines.forEach(
        (consistency, consistencyTotals) -> text.add(row(consistency, consistencyTotals)));
    text.add("");
    text.add(
        "Requests of users at half of their limit that should have been allowed and were not:");
    text.add("| from the fault on | " + String.join(" | ", names()) + " |");
    text.add("|---".repeat(lines.size() + 1) + "|");
    shares.forEach((injectedFault, counts) -> text.add(row(injectedFault, counts)));
    text.add("");
    lines.forEach(
        (consistency, consistencyTotals) ->
            text.add(
                "Schedules in which "
                    + consistency
                    + " granted nothing: "
                    + consistencyTotals.idle));
    if (!targetedScenarios.isEmpty()) {
      text.add("");
      text.add("Aimed schedules with users over the limit, whether or not promised:");
      text.add("| kind | " + String.join(" | ", names()) + " |");
      text.add("|---".repeat(lines.size() + 1) + "|");
      targetedScenarios.forEach((targetedScenario, hits) -> text.add(row(targetedScenario, hits)));
      text.add("");
    }
    text.add("Test clusters that failed and were rebuilt: " + rebuilt);
    if (!broken.isEmpty()) {
      text.add("");
      text.add("Broken promises:");
      text.addAll(broken);
    }
    return text;
  }

  private List<String> names() {
    return lines.keySet().stream().map(Consistency::toString).toList();
  }

  private static String row(Consistency consistency, ConsistencyTotals consistencyTotals) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d | %d | %d | %d | %s |",
        consistency,
        consistencyTotals.schedules,
        consistencyTotals.keeping,
        consistencyTotals.grants,
        consistencyTotals.leased,
        consistencyTotals.violationsKept,
        consistencyTotals.violationsLost,
        consistencyTotals.worst == 0
            ? "all of it"
            : String.format(Locale.ROOT, "%.1f times", consistencyTotals.worst));
  }

  private String row(TargetedScenario targetedScenario, Map<Consistency, Hits> all) {
    StringBuilder row = new StringBuilder("| " + targetedScenario + " |");
    for (Consistency consistency : lines.keySet()) {
      Hits hits = all.get(consistency);
      row.append(
          hits == null
              ? " |"
              : " %d of %d (%d users) |".formatted(hits.over, hits.schedules, hits.users));
    }
    return row.toString();
  }

  private String row(InjectedFault injectedFault, Map<Consistency, long[]> counts) {
    StringBuilder row = new StringBuilder("| " + injectedFault + " |");
    for (Consistency consistency : lines.keySet()) {
      long[] count = counts.get(consistency);
      row.append(
          count == null
              ? " |"
              : String.format(
                  Locale.ROOT, " %.1f %% of %d |", 100.0 * count[1] / count[0], count[0]));
    }
    return row.toString();
  }
}
