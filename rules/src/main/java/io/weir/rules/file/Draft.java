package io.weir.rules.file;

import io.weir.rules.Domain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the files read so far say together. */
final class Draft {
  private final Problems problems;
  private final Map<String, DomainDraft> domains = new LinkedHashMap<>();

  Draft(Problems problems) {
    this.problems = problems;
  }

  Problems problems() {
    return problems;
  }

  /** What is said about the domain called {@code name}: files of one domain are merged. */
  DomainDraft domain(String name) {
    return domains.computeIfAbsent(name, each -> new DomainDraft(each, problems));
  }

  /** The domains, in the order in which files first speak of them. */
  List<Domain> domains() {
    return domains.values().stream().map(DomainDraft::build).toList();
  }
}
