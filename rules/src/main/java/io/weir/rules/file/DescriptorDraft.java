package io.weir.rules.file;

import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorNode;
import io.weir.rules.envoy.DescriptorTree;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The descriptors of one domain from the files read so far. */
final class DescriptorDraft {
  private final String domain;
  private final ProblemCollector problemCollector;
  private final List<DescriptorNode> top = new ArrayList<>();
  private final Map<Descriptor.Entry, DescriptorNode> seen = new HashMap<>();

  DescriptorDraft(String domain, ProblemCollector problemCollector) {
    this.domain = domain;
    this.problemCollector = problemCollector;
  }

  /** Appends the descriptors of a file. */
  void add(List<DescriptorNode> nodes) {
    top.addAll(unique(nodes, domain + ".", seen));
  }

  private List<DescriptorNode> unique(
      List<DescriptorNode> nodes, String prefix, Map<Descriptor.Entry, DescriptorNode> known) {
    List<DescriptorNode> unique = new ArrayList<>(nodes.size());
    for (DescriptorNode node : nodes) {
      DescriptorNode first =
          known.putIfAbsent(new Descriptor.Entry(node.key(), node.value()), node);
      String path = prefix + node.label();
      if (first == null) {
        unique.add(
            node.children().isEmpty()
                ? node
                : node.with(unique(node.children(), path + ".", new HashMap<>())));
      } else {
        problemCollector.error(
            node.sourceLocation(),
            "duplicate descriptor composite key "
                + Excerpt.quoted(path)
                + "; the first is at "
                + first.sourceLocation());
      }
    }
    return unique;
  }

  DescriptorTree build() {
    return DescriptorTree.of(domain, top);
  }
}
