package io.weir.rules.file;

import io.weir.rules.Rule;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Sequence;
import java.util.List;

/**
 * Weir's own form: {@code domain:}, {@code attributes:} and {@code rules:}. The list of rules may
 * be empty: a file may hold only attributes for other files of its domain.
 */
final class NativeForm implements Form {
  static final String KEY = "rules";

  /** The fields at the top of a file. */
  static final List<String> FIELDS = List.of("domain", "attributes", KEY);

  @Override
  public void read(Mapping file, Draft draft) {
    Fields fields = Fields.of(file, "a rule file", FIELDS, draft.problems());
    Node rules = fields == null ? null : fields.get(KEY);
    if (fields == null || rules == null) {
      return;
    }
    DomainDraft domain = draft.domain(fields);
    if (!(rules instanceof Sequence list)) {
      draft
          .problems()
          .error(rules.place(), "'rules' must be a list of rules, but is " + rules.inWords());
      return;
    }
    RuleReader reader = new RuleReader(draft.problems(), draft.onFailure());
    for (Node item : list.items()) {
      Rule rule = reader.rule(item, domain.name());
      if (rule != null) {
        domain.rule(rule);
      }
    }
  }
}
