package io.weir.rules.file;

import io.weir.rules.Rule;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Sequence;
import java.util.List;

/**
 * Weir's own form: {@code domain:}, {@code attributes:} and {@code rules:}. The list of rules may
 * be empty: a file may hold only attributes for other files of its domain.
 */
final class NativeForm implements RuleFileForm {
  static final String KEY = "rules";

  /** The fields at the top of a file. */
  static final List<String> FIELDS = List.of("domain", "attributes", KEY);

  @Override
  public void read(Mapping file, Draft draft) {
    YamlFields yamlFields = YamlFields.of(file, "a rule file", FIELDS, draft.problemCollector());
    YamlNode rules = yamlFields == null ? null : yamlFields.get(KEY);
    if (yamlFields == null || rules == null) {
      return;
    }
    DomainDraft domain = draft.domain(yamlFields);
    if (!(rules instanceof Sequence list)) {
      draft
          .problemCollector()
          .error(
              rules.sourceLocation(), "'rules' must be a list of rules, but is " + rules.inWords());
      return;
    }
    RuleReader reader = new RuleReader(draft.problemCollector(), draft.onFailure());
    for (YamlNode item : list.items()) {
      Rule rule = reader.rule(item, domain.name());
      if (rule != null) {
        domain.rule(rule);
      }
    }
  }
}
