package io.weir.rules.file;

import io.weir.rules.envoy.DescriptorNode;
import io.weir.rules.yaml.YamlNode.Mapping;
import java.util.List;

/**
 * The Lyft/Envoy form: {@code domain:} and {@code descriptors:}, a tree of keys and values with
 * limits. Files that envoyproxy/ratelimit accepts have the same meaning here. Files that it rejects
 * are rejected with its message, plus the place and a hint.
 */
final class EnvoyForm implements RuleFileForm {
  static final String KEY = "descriptors";

  @Override
  public void read(Mapping file, Draft draft) {
    EnvoyFields fields = EnvoyFields.of(file, EnvoyLevel.FILE, draft.problemCollector());
    String domain = fields.text("domain");
    if (fields.isBlank("domain")) {
      fields.error("domain", "config file cannot have empty domain");
    }
    List<DescriptorNode> descriptors = new EnvoyDescriptors(draft.problemCollector()).read(fields);
    if (!domain.isEmpty()) {
      draft.domain(domain).descriptors(descriptors);
    }
  }
}
