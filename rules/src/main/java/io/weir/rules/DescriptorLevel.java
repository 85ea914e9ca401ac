package io.weir.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one level of a tree of descriptors, made ready to be looked up: by key and value;
 * else the first pattern in the order of the file; else by the key alone.
 */
final class DescriptorLevel {
  private final Map<String, OfKey> keys = new HashMap<>();
  private final List<Branch> keyPatterns = new ArrayList<>();

  /** Adds the limits of all nodes to {@code limits} in the order of the file. */
  DescriptorLevel(
      String domain,
      DescriptorPath parent,
      List<DescriptorNode> nodes,
      Consumer<DescriptorLimit> limits) {
    for (int i = 0; i < nodes.size(); i++) {
      DescriptorNode node = nodes.get(i);
      DescriptorPath path = parent.to(node);
      Optional<DescriptorLimit> limit =
          node.limit().map(each -> new DescriptorLimit(domain, path, each));
      limit.ifPresent(limits);
      DescriptorLevel children = new DescriptorLevel(domain, path, node.children(), limits);
      add(new Branch(i, node, path, limit, children));
    }
  }

  private void add(Branch branch) {
    String key = branch.node.key();
    String value = branch.node.value();
    if (key.indexOf('*') >= 0) {
      keyPatterns.add(branch);
      return;
    }
    OfKey ofKey = keys.computeIfAbsent(key, any -> new OfKey());
    if (value.isEmpty()) {
      ofKey.otherwise = branch;
    } else if (value.indexOf('*') >= 0) {
      ofKey.patterns.add(branch);
    } else {
      ofKey.values.put(value, branch);
    }
  }

  /** The node for an entry; null if there is none. */
  @Nullable Branch find(Descriptor.Entry entry) {
    OfKey ofKey = keys.get(entry.key());
    if (ofKey == null) {
      return first(keyPatterns, entry);
    }
    Branch exact = ofKey.values.get(entry.value());
    if (exact != null) {
      return exact;
    }
    Branch pattern = earlier(first(ofKey.patterns, entry), first(keyPatterns, entry));
    return pattern == null ? ofKey.otherwise : pattern;
  }

  private static @Nullable Branch first(List<Branch> patterns, Descriptor.Entry entry) {
    for (Branch branch : patterns) {
      if (branch.matches(entry)) {
        return branch;
      }
    }
    return null;
  }

  private static @Nullable Branch earlier(@Nullable Branch a, @Nullable Branch b) {
    return a == null || (b != null && b.order < a.order) ? b : a;
  }

  /** The nodes of one key. */
  private static final class OfKey {
    private final Map<String, Branch> values = new HashMap<>(2);
    private final List<Branch> patterns = new ArrayList<>(0);
    private @Nullable Branch otherwise;
  }

  /** A node with what it leads to. */
  static final class Branch {
    private final int order;
    private final DescriptorNode node;
    private final StarPattern keys;
    private final StarPattern values;
    private final DescriptorPath path;
    private final Optional<DescriptorLimit> limit;
    private final DescriptorLevel children;

    private Branch(
        int order,
        DescriptorNode node,
        DescriptorPath path,
        Optional<DescriptorLimit> limit,
        DescriptorLevel children) {
      this.order = order;
      this.node = node;
      this.keys = new StarPattern(node.key());
      this.values = new StarPattern(node.value().isEmpty() ? "*" : node.value());
      this.path = path;
      this.limit = limit;
      this.children = children;
    }

    private boolean matches(Descriptor.Entry entry) {
      return keys.matches(entry.key()) && values.matches(entry.value());
    }

    DescriptorLevel children() {
      return children;
    }

    /** What is found by a descriptor that ends here. */
    Finding finding(Descriptor descriptor) {
      if (limit.isEmpty()) {
        return new Finding.NoLimit();
      }
      DescriptorLimit found = limit.get();
      return found.rule().limits().isEmpty()
          ? new Finding.Unlimited(found)
          : new Finding.Limited(found, path.key(descriptor));
    }
  }
}
