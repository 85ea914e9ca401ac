package io.weir.bench.speed;

import static io.weir.bench.report.Bar.Direction.AT_LEAST;
import static io.weir.bench.report.Bar.Direction.AT_MOST;

import io.weir.bench.contender.Contender;
import io.weir.bench.contender.Role;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The tables and targets of the measured times. */
final class SpeedReport {
  private final Samples samples;
  private final int rounds;
  private final Set<String> failures;
  private final List<Bar> bars = new ArrayList<>();

  SpeedReport(Samples samples, int rounds, Set<String> failures) {
    this.samples = samples;
    this.rounds = rounds;
    this.failures = failures;
  }

  Section hot() {
    StringBuilder body = new StringBuilder();
    body.append(table("hot/allow1", "Allowed, 1 thread"));
    body.append(table("hot/deny1", "Refused, 1 thread"));
    body.append(table("hot/allow2", "Allowed, 2 threads"));
    body.append(table("hot/deny2", "Refused, 2 threads"));

    bars.clear();
    for (String outcome : List.of("allow", "deny")) {
      bar(
          "hot key, 2 threads, " + outcome + ": Bucket4j + CHM ÷ Weir",
          AT_LEAST,
          1.5,
          3,
          samples.ratio("hot/" + outcome + "2", Contender.BUCKET4J, Contender.WEIR));
    }
    bar(
        "hot key, deny scales: throughput of 2 threads ÷ of 1 (our number: 1.5)",
        AT_LEAST,
        1.5,
        1.5,
        samples.combined(
            "hot/deny1", Contender.WEIR, "hot/deny2", Contender.WEIR, (one, two) -> 2 * one / two));
    for (String outcome : List.of("allow", "deny")) {
      String name = "hot/" + outcome + "1";
      samples
          .fastestPeer(name)
          .ifPresent(
              peer -> {
                String peerLabel = peer.label() + ", the fastest peer";
                bar(
                    "hot key, 1 thread, " + outcome + ": Weir ÷ " + peerLabel,
                    AT_MOST,
                    1.3,
                    1.3,
                    samples.ratio(name, Contender.WEIR, peer));
                bar(
                    "hot key, 1 thread, "
                        + outcome
                        + ": "
                        + peerLabel
                        + " ÷ Weir with the coarse clock",
                    AT_LEAST,
                    1.4,
                    2,
                    samples.ratio(name, peer, Contender.WEIR_COARSE));
              });
    }
    return section("hot", "One hot key", body);
  }

  Section keys() {
    StringBuilder body = new StringBuilder();
    bars.clear();
    for (String traffic : List.of("uniform", "zipf")) {
      String name = Load.KEYS_1M.caseOf(traffic);
      bar(
          "1M keys, " + traffic + ": Bucket4j + CHM ÷ Weir",
          AT_LEAST,
          4.5,
          4.5,
          samples.ratio(name, Contender.BUCKET4J, Contender.WEIR));
      bar(
          "1M keys, " + traffic + ": map of synchronized buckets ÷ Weir",
          AT_LEAST,
          1.8,
          1.8,
          samples.ratio(name, Contender.SYNCHRONIZED, Contender.WEIR));
    }
    for (Load load : Load.values()) {
      if (load == Load.HOT) {
        continue;
      }
      for (String traffic : load.methods()) {
        String name = load.caseOf(traffic);
        String keys = Numbers.whole(load.keys()) + " keys, " + traffic;
        body.append(table(name, keys + ", 2 threads"));
        bar(
            keys + ": Weir ÷ floor",
            AT_MOST,
            1.4,
            1.15,
            samples.ratio(name, Contender.WEIR, Contender.FLOOR));
      }
    }
    return section("keys", "Many keys, each built on the call", body);
  }

  Section algorithms() {
    MarkdownTable table =
        new MarkdownTable(
            "ns a check (÷ the token bucket's)",
            "hot key, allowed",
            "hot key, refused",
            "100,000 keys, uniform, 2 threads");
    for (Contender contender : Plan.ALGORITHMS) {
      table.row(
          contender == Contender.WEIR ? "Weir, token bucket" : contender.label(),
          beside("hot/allow1", contender),
          beside("hot/deny1", contender),
          beside("100k/uniform", contender));
    }
    bars.clear();
    return section("algorithms", "All algorithms", new StringBuilder(table.toString()));
  }

  private String beside(String name, Contender contender) {
    return samples
        .nanos(name, contender)
        .map(
            nanos ->
                Numbers.three(nanos.median())
                    + samples
                        .ratio(name, contender, Contender.WEIR)
                        .map(ratio -> " (" + Numbers.three(ratio.median()) + ")")
                        .orElse(""))
        .orElse("–");
  }

  private String table(String name, String title) {
    MarkdownTable table =
        new MarkdownTable(
            title,
            "ns, median (min–max)",
            "its time ÷ Weir's: median [quartiles] (min–max)",
            "Weir's time ÷ its");
    samples.contenders(name).stream()
        .filter(contender -> !Plan.ALGORITHMS.contains(contender) || isHandToHand(contender, name))
        .forEach(
            contender ->
                table.row(
                    contender.label(),
                    samples.nanos(name, contender).map(SpeedReport::nanos).orElse("–"),
                    ratio(name, contender, Contender.WEIR),
                    contender.role() == Role.FLOOR ? ratio(name, Contender.WEIR, contender) : ""));
    return table.isEmpty() ? "" : table + "\n";
  }

  /** The log is a peer among many keys, but with a hot key it does different work. */
  private static boolean isHandToHand(Contender contender, String name) {
    return contender == Contender.WEIR
        || (contender == Contender.DEQUE_LOG && !name.startsWith(Load.HOT.id()));
  }

  private String ratio(String name, Contender above, Contender below) {
    return above == below ? "1" : samples.ratio(name, above, below).map(Spread::text).orElse("–");
  }

  private static String nanos(Spread nanos) {
    return Numbers.three(nanos.median())
        + " ("
        + Numbers.three(nanos.min())
        + "–"
        + Numbers.three(nanos.max())
        + ")";
  }

  private void bar(
      String what, Bar.Direction direction, double first, double then, Optional<Spread> measured) {
    measured.ifPresent(spread -> bars.add(Bar.of(what, direction, first, then, spread)));
  }

  private Section section(String id, String title, StringBuilder body) {
    body.append("\n").append(rounds).append(rounds == 1 ? " round" : " rounds").append(".");
    if (!failures.isEmpty()) {
      body.append(" Failed: ").append(String.join("; ", failures)).append(".");
    }
    return new Section(id, title, body.toString(), List.copyOf(bars));
  }
}
