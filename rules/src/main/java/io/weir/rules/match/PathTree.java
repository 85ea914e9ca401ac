package io.weir.rules.match;

import org.jspecify.annotations.Nullable;

/**
 * Finds all patterns that match a path, segment by segment.
 *
 * <p>A node has a child for any segment and children for particular ones; one table for all nodes
 * contains the latter.
 */
final class PathTree {
  private final SubstringTable<Node> literals = new SubstringTable<>();
  private int nodes;
  private final Node root = new Node(nodes++);

  /** The common beginning of some patterns. */
  private static final class Node {
    final int number;
    boolean hasLiterals;
    @Nullable Node any;

    /** The patterns that end here. */
    @Nullable Groups ending;

    /** The patterns that go on with {@code **}. */
    @Nullable Groups open;

    Node(int number) {
      this.number = number;
    }
  }

  /** The groups for this pattern. */
  Groups at(PathPattern pattern) {
    Node node = root;
    for (PathPattern.Segment segment : pattern.segments()) {
      node =
          segment instanceof PathPattern.Segment.Literal literal ? child(node, literal) : any(node);
    }
    if (pattern.isOpen()) {
      return node.open = node.open == null ? new Groups() : node.open;
    }
    return node.ending = node.ending == null ? new Groups() : node.ending;
  }

  private Node child(Node node, PathPattern.Segment.Literal literal) {
    Node known = literals.get(node.number, literal.text());
    if (known != null) {
      return known;
    }
    Node child = new Node(nodes++);
    literals.put(node.number, literal.text(), child);
    node.hasLiterals = true;
    return child;
  }

  private Node any(Node node) {
    if (node.any == null) {
      node.any = new Node(nodes++);
    }
    return node.any;
  }

  /** See {@link Group#seek}. */
  int seek(String path, AttributeValues attributeValues, int limit, @Nullable FoundEntries all) {
    return path.charAt(0) == '/' ? seek(root, path, 1, attributeValues, limit, all) : limit;
  }

  private int seek(
      Node start,
      String path,
      int startsAt,
      AttributeValues attributeValues,
      int limit,
      @Nullable FoundEntries all) {
    Node node = start;
    int from = startsAt;
    int wanted = limit;
    while (node != null) {
      if (node.open != null) {
        wanted = node.open.seek(attributeValues, wanted, all);
      }
      if (from >= path.length()) {
        return node.ending == null ? wanted : node.ending.seek(attributeValues, wanted, all);
      }
      int hash = 0;
      int to = from;
      for (; to < path.length() && path.charAt(to) != '/'; to++) {
        hash = SubstringTable.extend(hash, path.charAt(to));
      }
      Node literal = node.hasLiterals ? literals.get(node.number, path, from, to, hash) : null;
      if (literal != null && node.any != null) {
        wanted = seek(node.any, path, to + 1, attributeValues, wanted, all);
      }
      node = literal == null ? node.any : literal;
      from = to + 1;
    }
    return wanted;
  }
}
