package io.weir.chaos;

import io.weir.Consistency;
import io.weir.chaos.Outcome.Availability;
import io.weir.chaos.Outcome.Finding;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The results of all schedules, as tables. */
final class Report {
  private static final int ERRORS = 5; // shown per schedule; further ones repeat them

  private final Map<Consistency, Line> lines = new EnumMap<>(Consistency.class);
  private final Map<Fault, Map<Consistency, long[]>> shares = new TreeMap<>();
  private final Map<Aim, Map<Consistency, Hits>> aims = new EnumMap<>(Aim.class);
  private final List<String> broken = new ArrayList<>();
  private long schedules;
  private long rebuilt;

  /** All results of one consistency. */
  private static final class Line {
    long schedules;
    long keeping;
    long yeses;
    long idle;
    long leased;
    long violationsKept;
    long violationsLost;
    double worst;
  }

  /** All results of one attack and one consistency. */
  private static final class Hits {
    long schedules;
    long yeses;
    long over; // schedules with users above the limit
    long users;
  }

  synchronized void add(Outcome outcome) {
    schedules++;
    for (Finding finding : outcome.findings()) {
      add(outcome, finding);
      outcome.schedule().aim().ifPresent(aim -> add(aim, finding));
    }
    addBroken(outcome);
  }

  /** Adds promises broken during the warm-up, which count as well. */
  synchronized void addBroken(Outcome outcome) {
    if (!outcome.disorderly().isEmpty()) {
      broken.add(
          replay(outcome) + ": decided before asked or after heard: " + outcome.disorderly());
    }
    outcome.errors().stream().limit(ERRORS).forEach(it -> broken.add(replay(outcome) + ": " + it));
    outcome.unserved().ifPresent(who -> broken.add(replay(outcome) + ": " + who));
    for (Finding finding : outcome.broken()) {
      for (Violation violation : finding.broken()) {
        String what = finding.contract() + ", " + violation.toString(outcome.origin());
        broken.add(replay(outcome) + ": " + what);
      }
    }
  }

  /** Counts a cluster that failed; its schedule runs again on another. */
  synchronized void addRebuilt() {
    rebuilt++;
  }

  private void add(Outcome outcome, Finding finding) {
    Consistency consistency = finding.contract().consistency();
    Line line = lines.computeIfAbsent(consistency, it -> new Line());
    line.schedules++;
    line.keeping += outcome.keptData() ? 1 : 0;
    line.yeses += finding.yeses();
    line.idle += finding.yeses() == 0 ? 1 : 0;
    line.leased += finding.leased();
    for (Violation violation : finding.violations()) {
      if (outcome.keptData()) {
        line.violationsKept++;
      } else {
        line.violationsLost++;
      }
      line.worst = Math.max(line.worst, (double) violation.count() / violation.most());
    }
    for (Availability share : finding.shares()) {
      long[] count =
          shares
              .computeIfAbsent(share.fault(), it -> new EnumMap<>(Consistency.class))
              .computeIfAbsent(consistency, it -> new long[2]);
      count[0] += share.due();
      count[1] += share.refused();
    }
  }

  private void add(Aim aim, Finding finding) {
    Hits hits =
        aims.computeIfAbsent(aim, it -> new EnumMap<>(Consistency.class))
            .computeIfAbsent(finding.contract().consistency(), it -> new Hits());
    hits.schedules++;
    hits.yeses += finding.yeses();
    hits.over += finding.violations().isEmpty() ? 0 : 1;
    hits.users += finding.violations().size();
  }

  private static String replay(Outcome outcome) {
    return outcome.schedule().isWarmUp()
        ? "before the first schedule"
        : outcome.schedule().replay() + " (" + outcome.schedule() + ")";
  }

  /** The number of schedules run. */
  synchronized long schedules() {
    return schedules;
  }

  /** The number of grants of {@code consistency}. */
  synchronized long yeses(Consistency consistency) {
    Line line = lines.get(consistency);
    return line == null ? 0 : line.yeses;
  }

  /** The number of grants of {@code consistency} in schedules of an attack. */
  synchronized long yeses(Aim aim, Consistency consistency) {
    Hits hits = aims.getOrDefault(aim, Map.of()).get(consistency);
    return hits == null ? 0 : hits.yeses;
  }

  /** The kinds of attack without a schedule in this run. */
  synchronized List<Aim> untried() {
    return Stream.of(Aim.values()).filter(aim -> !aims.containsKey(aim)).toList();
  }

  /**
   * The kinds that should make Redis lose data, and did not: {@code exact} never exceeded a limit.
   * Their schedules prove nothing about the other consistencies.
   */
  synchronized List<Aim> missed() {
    return aims.entrySet().stream()
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
    Line line = lines.get(consistency);
    return line == null ? 0 : line.idle;
  }

  /** The number of users of {@code consistency} above the limit, whether or not promised. */
  synchronized long violations(Consistency consistency) {
    Line line = lines.get(consistency);
    return line == null ? 0 : line.violationsKept + line.violationsLost;
  }

  /** The number of grants from a lease. */
  synchronized long leased() {
    return lines.values().stream().mapToLong(line -> line.leased).sum();
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
    lines.forEach((consistency, line) -> text.add(row(consistency, line)));
    text.add("");
    text.add(
        "Requests of users at half of their limit that should have been allowed and were not:");
    text.add("| from the fault on | " + String.join(" | ", names()) + " |");
    text.add("|---".repeat(lines.size() + 1) + "|");
    shares.forEach((fault, counts) -> text.add(row(fault, counts)));
    text.add("");
    lines.forEach(
        (consistency, line) ->
            text.add("Schedules in which " + consistency + " granted nothing: " + line.idle));
    if (!aims.isEmpty()) {
      text.add("");
      text.add("Aimed schedules with users over the limit, whether or not promised:");
      text.add("| kind | " + String.join(" | ", names()) + " |");
      text.add("|---".repeat(lines.size() + 1) + "|");
      aims.forEach((aim, hits) -> text.add(row(aim, hits)));
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

  private static String row(Consistency consistency, Line line) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d | %d | %d | %d | %s |",
        consistency,
        line.schedules,
        line.keeping,
        line.yeses,
        line.leased,
        line.violationsKept,
        line.violationsLost,
        line.worst == 0 ? "all of it" : String.format(Locale.ROOT, "%.1f times", line.worst));
  }

  private String row(Aim aim, Map<Consistency, Hits> all) {
    StringBuilder row = new StringBuilder("| " + aim + " |");
    for (Consistency consistency : lines.keySet()) {
      Hits hits = all.get(consistency);
      row.append(
          hits == null
              ? " |"
              : " %d of %d (%d users) |".formatted(hits.over, hits.schedules, hits.users));
    }
    return row.toString();
  }

  private String row(Fault fault, Map<Consistency, long[]> counts) {
    StringBuilder row = new StringBuilder("| " + fault + " |");
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
