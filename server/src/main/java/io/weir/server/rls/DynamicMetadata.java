package io.weir.server.rls;

import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.envoy.LimitOverride;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The dynamic metadata for later Envoy filters: the request, and the merged metadata of all limits
 * that allowed it. The first value of a name wins; maps are merged.
 */
final class DynamicMetadata {
  private DynamicMetadata() {}

  static Map<String, @Nullable Object> of(
      DescriptorRequest descriptorRequest,
      List<DescriptorDecision.DescriptorResult> descriptorResults) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("domain", descriptorRequest.domain());
    all.put(
        "descriptors",
        descriptorRequest.descriptors().stream().map(DynamicMetadata::fields).toList());
    if (descriptorRequest.hits() != 0) {
      all.put("hitsAddend", (double) descriptorRequest.hits());
    }
    Map<String, @Nullable Object> passed = new LinkedHashMap<>();
    for (DescriptorDecision.DescriptorResult descriptorResult : descriptorResults) {
      if (descriptorResult.requestDecision().allowed()
          && descriptorResult.descriptorMatch() instanceof DescriptorMatch.Limited limited) {
        mergeBelow(passed, limited.limit().metadata());
      }
    }
    if (!passed.isEmpty()) {
      all.put("metadata", passed);
    }
    return all;
  }

  private static Map<String, @Nullable Object> fields(Descriptor descriptor) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    List<String> entries = new ArrayList<>();
    descriptor.entries().forEach(entry -> entries.add(entry.key() + "=" + entry.value()));
    fields.put("entries", entries);
    descriptor.limit().ifPresent(limit -> fields.put("limit", text(limit)));
    descriptor.hits().ifPresent(hits -> fields.put("hitsAddend", (double) hits));
    return fields;
  }

  private static String text(LimitOverride limit) {
    return "requests_per_unit:" + limit.requestsPerUnit() + " unit:" + limit.unit();
  }

  @SuppressWarnings("unchecked") // metadata keys are strings
  private static void mergeBelow(
      Map<String, @Nullable Object> all, Map<String, @Nullable Object> more) {
    more.forEach(
        (name, value) -> {
          if (!all.containsKey(name)) {
            all.put(name, value);
          } else if (all.get(name) instanceof Map<?, ?> above && value instanceof Map<?, ?> below) {
            Map<String, @Nullable Object> joined =
                new LinkedHashMap<>((Map<String, @Nullable Object>) above);
            mergeBelow(joined, (Map<String, @Nullable Object>) below);
            all.put(name, joined);
          }
        });
  }
}
