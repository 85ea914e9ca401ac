package io.weir.chaos.audit;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds wrong refusals, by a model that uses only the grants.
 *
 * <p>A user was below the limit if one more grant would have broken no bound. This must hold even
 * if all earlier grants were decided as late as possible, and this one as early as possible. Grants
 * of the same moment count as earlier. In doubt, the refusal was right.
 */
public final class WrongRefusals {
  private final GrantBound grantBound;
  private final Map<String, List<RecordedCheck>> grants;

  public WrongRefusals(GrantBound grantBound, List<RecordedCheck> log) {
    this.grantBound = grantBound;
    this.grants =
        log.stream()
            .filter(RecordedCheck::isAllowed)
            .sorted(Comparator.comparingLong(RecordedCheck::after))
            .collect(Collectors.groupingBy(RecordedCheck::account));
  }

  /** Whether it was not allowed, and should have been. */
  public boolean isWrong(RecordedCheck recordedCheck) {
    return !recordedCheck.isAllowed()
        && fits(recordedCheck, grants.getOrDefault(recordedCheck.account(), List.of()));
  }

  private boolean fits(RecordedCheck recordedCheck, List<RecordedCheck> given) {
    List<RecordedCheck> earlier =
        given.stream().filter(grant -> grant.before() <= recordedCheck.after()).toList();
    for (int i = 0; i < earlier.size(); i++) {
      long length = Math.max(0, recordedCheck.before() - earlier.get(i).after());
      if (earlier.size() - i + 1 > grantBound.maxPermits(length - length / 500)) {
        return false;
      }
    }
    return true;
  }
}
