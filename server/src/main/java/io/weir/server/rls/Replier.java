package io.weir.server.rls;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.DescriptorQuestion;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Finding;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answers;
import io.weir.server.Settings;
import io.weir.server.http.Millis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Converts decisions into Envoy's responses. */
final class Replier {
  private static final long MOST = 0xFFFF_FFFFL;

  private final Answers answers;
  private final boolean tellsMetadata;

  Replier(Settings settings) {
    this.answers = new Answers(settings.headers());
    this.tellsMetadata = settings.envoy().metadata();
  }

  Reply reply(DescriptorQuestion question, DescriptorRuling ruling) {
    List<DescriptorRuling.Answer> each = ruling.answers();
    List<Reply.Status> statuses = new ArrayList<>(each.size());
    for (DescriptorRuling.Answer answer : each) {
      statuses.add(status(answer));
    }
    return new Reply(
        !ruling.allowed(),
        statuses,
        answers.headers(together(ruling)),
        tellsMetadata ? Metadata.of(question, each) : Map.of());
  }

  /**
   * All decisions combined, for the headers. A request may be allowed although some limits refuse,
   * in quota mode or because nothing is enforced. The headers then leave out those limits, because
   * they must not ask the client to wait.
   */
  private static Ruling together(DescriptorRuling ruling) {
    List<DescriptorRuling.Answer> each = ruling.answers();
    if (each.size() == 1 && each.get(0).ruling().allowed() == ruling.allowed()) {
      return each.get(0).ruling();
    }
    List<Verdict> verdicts = new ArrayList<>(each.size());
    for (DescriptorRuling.Answer answer : each) {
      for (Verdict verdict : answer.ruling().verdicts()) {
        if (!ruling.allowed() || verdict.decision().allowed()) {
          verdicts.add(verdict);
        }
      }
    }
    return Ruling.of(verdicts, List.of());
  }

  private static Reply.Status status(DescriptorRuling.Answer answer) {
    Ruling ruling = answer.ruling();
    List<Verdict> shadows = ruling.shadows();
    Verdict shown = ruling.deciding().orElse(shadows.isEmpty() ? null : shadows.get(0));
    if (shown == null) {
      return undecided(answer.finding());
    }
    Decision decision = shown.decision();
    if (decision.origin() == Origin.FAILURE) {
      return ruling.allowed() ? Reply.Status.FREE : new Reply.Status(true, null, 0, 1);
    }
    Standing standing = decision.deciding();
    Limit limit = standing.limit();
    return new Reply.Status(
        !ruling.allowed(),
        new Reply.ShownLimit(
            Math.min(limit.permits(), MOST), Unit.of(limit), name(answer.finding(), shown)),
        Math.min(standing.remaining(), MOST),
        resetSeconds(standing, decision));
  }

  /**
   * The status of a limit in shadow mode when the request is refused: it is not charged, but
   * reported all the same.
   */
  private static Reply.Status undecided(Finding finding) {
    if (finding instanceof Finding.Limited limited) {
      Limit limit = limited.rule().limits().get(0);
      String name = limited.limit().name().orElse("");
      return new Reply.Status(
          false, new Reply.ShownLimit(Math.min(limit.permits(), MOST), Unit.of(limit), name), 0, 0);
    }
    return finding instanceof Finding.Unlimited ? Reply.Status.UNLIMITED : Reply.Status.FREE;
  }

  /**
   * The name of a limit: in the Envoy form the configured name, otherwise the name of Weir's rule.
   */
  private static String name(Finding finding, Verdict shown) {
    return finding instanceof Finding.Limited limited && limited.rule().equals(shown.rule())
        ? limited.limit().name().orElse("")
        : shown.rule().name();
  }

  /**
   * The time until the window ends; for limits without a window, until the request fits or the
   * limit is full again.
   */
  private static long resetSeconds(Standing standing, Decision decision) {
    if (standing.limit() instanceof Limit.FixedWindow window
        && window.span() instanceof Limit.Length length) {
      long period = length.period().toMillis();
      return roundedUp(period - Math.floorMod(decision.time().toEpochMilli(), period));
    }
    Duration wait =
        standing.allows() || standing.neverFits()
            ? standing.resetAfter()
            : standing.retryAfter().orElse(Duration.ZERO);
    return roundedUp(Millis.of(wait));
  }

  private static long roundedUp(long millis) {
    return (millis + 999) / 1000;
  }
}
