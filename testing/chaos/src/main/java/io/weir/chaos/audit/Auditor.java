package io.weir.chaos.audit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Finds grants beyond a limit.
 *
 * <p>Only Redis or the lease knows the exact moment of a grant. It certainly lies between two
 * readings of the node's clock, {@code before} and {@code after}. So a set of grants is a violation
 * only if it is one for <i>every</i> choice of those moments: all of it lies within [first before,
 * last after], and is more than any interval of that length may contain. Every reported violation
 * is certain; an unreported one is less than a round trip off.
 *
 * <p>A worked number: 5 a second, and six grants, the first begun at 0 ms and the last decided at
 * 998 ms. Whatever their moments, less than a second contains six. If the last had been decided at
 * 1001 ms, the first and the last could have been a second apart.
 */
public final class Auditor {
  private final GrantBound grantBound;

  public Auditor(GrantBound grantBound) {
    this.grantBound = grantBound;
  }

  /** The worst violation of each account, in the order of accounts. */
  public List<Violation> violations(List<RecordedCheck> log) {
    return byAccount(log).values().stream().map(this::worst).flatMap(Optional::stream).toList();
  }

  /** Checks whose decision does not lie between the client's sending and receiving. */
  public static List<RecordedCheck> disorderly(List<RecordedCheck> log) {
    return log.stream().filter(recordedCheck -> !recordedCheck.isInOrder()).toList();
  }

  private static Map<String, List<RecordedCheck>> byAccount(List<RecordedCheck> log) {
    return log.stream()
        .filter(RecordedCheck::isAllowed)
        .collect(Collectors.groupingBy(RecordedCheck::account, TreeMap::new, Collectors.toList()));
  }

  private Optional<Violation> worst(List<RecordedCheck> grants) {
    List<RecordedCheck> byEnd = new ArrayList<>(grants);
    byEnd.sort(Comparator.comparingLong(RecordedCheck::after));
    Violation worst = null;
    for (RecordedCheck first : grants) {
      long count = 0;
      for (RecordedCheck last : byEnd) {
        if (last.before() < first.before()) {
          continue;
        }
        count++;
        long allowed = grantBound.maxPermits(last.after() - first.before());
        if (count > allowed && (worst == null || count - allowed > worst.excess())) {
          worst = violation(first.before(), last.after(), allowed, byEnd);
        }
      }
    }
    return Optional.ofNullable(worst);
  }

  private static Violation violation(long from, long to, long allowed, List<RecordedCheck> grants) {
    List<RecordedCheck> within =
        grants.stream().filter(grant -> grant.before() >= from && grant.after() <= to).toList();
    return new Violation(within.get(0).account(), from, to, within.size(), allowed, within);
  }
}
