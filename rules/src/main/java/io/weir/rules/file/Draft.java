package io.weir.rules.file;

import io.weir.OnFailure;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Scalar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The combined content of the files read so far. */
final class Draft {
  private final ProblemCollector problemCollector;
  private final OnFailure onFailure;
  private final AttributeReader attributes;
  private final Map<String, DomainDraft> domains = new LinkedHashMap<>();

  Draft(ProblemCollector problemCollector, BoundedFileReader files, OnFailure onFailure) {
    this.onFailure = onFailure;
    this.problemCollector = problemCollector;
    this.attributes = new AttributeReader(problemCollector, new Lookups(problemCollector, files));
  }

  ProblemCollector problemCollector() {
    return problemCollector;
  }

  /** The default {@code on_failure} of rules. */
  OnFailure onFailure() {
    return onFailure;
  }

  /** The draft of the domain {@code name}; files of one domain are merged. */
  DomainDraft domain(String name) {
    return domains.computeIfAbsent(name, each -> new DomainDraft(each, problemCollector));
  }

  /** The domain of a file, with the attributes that the file declares. */
  DomainDraft domain(YamlFields file) {
    Scalar name = file.scalar("domain");
    if (name != null && name.text().isBlank()) {
      problemCollector.error(
          name.sourceLocation(), "'domain' must have a name; leave it out for 'default'");
    }
    DomainDraft domain = domain(name == null ? Rule.DEFAULT_DOMAIN : name.text());
    YamlNode declared = file.get("attributes");
    if (declared != null) {
      attributes.read(declared, domain);
    }
    return domain;
  }

  /** Reports errors of the files as a whole. */
  void check() {
    domains.values().forEach(DomainDraft::check);
  }

  /** The domains, in the order of their first occurrence, if there are no problems. */
  List<Domain> domains() {
    return domains.values().stream().map(DomainDraft::build).toList();
  }
}
