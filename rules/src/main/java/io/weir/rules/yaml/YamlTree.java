package io.weir.rules.yaml;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * Reads one YAML file into {@link YamlNode nodes}.
 *
 * <p>Aliases are expanded. Merge keys, tags and several documents in a file are errors. So are
 * nesting deeper than {@link #DEEPEST} and more than {@link #MAX_NODES} nodes, counted with
 * expanded aliases. So the tree can be walked recursively in bounded time.
 */
public final class YamlTree {
  /*
   * The tree is built from the parser's events with a stack of open collections, without recursion.
   * An alias shares the node that it repeats. So a tree of nested aliases is small in memory but
   * may be huge to walk. That is why the size of each node is known once it is closed, and an alias
   * adds that size.
   */

  /** The maximum nesting depth. */
  static final int DEEPEST = 50;

  /** The maximum number of nodes in a file. */
  static final int MAX_NODES = 10_000_000;

  private final String file;
  private final ProblemCollector problemCollector;
  private final boolean isSecret;
  private final Deque<Open> stack = new ArrayDeque<>();
  private final Map<Anchor, Anchored> anchors = new HashMap<>();
  private @Nullable YamlNode root;
  private long nodes;

  private YamlTree(String file, ProblemCollector problemCollector, boolean isSecret) {
    this.file = file;
    this.problemCollector = problemCollector;
    this.isSecret = isSecret;
  }

  /** The value in {@code content}; null if its syntax is invalid. */
  static @Nullable public YamlNode read(
      String file, byte[] content, ProblemCollector problemCollector) {
    String text = Utf8.decode(file, content, problemCollector);
    return text == null ? null : read(file, text, problemCollector, false);
  }

  /** The value in a file with passwords: no message shows a value. */
  static @Nullable public YamlNode readSecret(
      String file, byte[] content, ProblemCollector problemCollector) {
    String text = Utf8.decode(file, content, problemCollector);
    return text == null ? null : read(file, text, problemCollector, true);
  }

  /** The value in {@code text}; null if its syntax is invalid. */
  static @Nullable public YamlNode read(
      String file, String text, ProblemCollector problemCollector) {
    return read(file, text, problemCollector, false);
  }

  private static @Nullable YamlNode read(
      String file, String text, ProblemCollector problemCollector, boolean isSecret) {
    int before = problemCollector.count();
    try {
      YamlNode root = new YamlTree(file, problemCollector, isSecret).build(events(text));
      return problemCollector.count() == before ? root : null;
    } catch (Refused e) {
      problemCollector.error(e.sourceLocation, e.message);
    } catch (MarkedYamlEngineException e) {
      YamlSyntaxErrors.report(file, text, e, problemCollector, isSecret);
    } catch (RuntimeException e) {
      // Any exception of the parser library is reported as an error of the file.
      problemCollector.error(
          new SourceLocation(file, 1, 1),
          "cannot be read as YAML" + (isSecret ? "" : ": " + Excerpt.of("" + e.getMessage())));
    }
    return null;
  }

  private static Iterator<Event> events(String text) {
    // The parser copies its window at each refill. Small windows would make long texts quadratic.
    int window = Math.max(1024, Math.min(text.length(), 1 << 20));
    LoadSettings settings =
        LoadSettings.builder().setBufferSize(window).setCodePointLimit(Integer.MAX_VALUE).build();
    return new ParserImpl(settings, new StreamReader(settings, text));
  }

  private @Nullable YamlNode build(Iterator<Event> events) {
    while (events.hasNext()) {
      Event event = events.next();
      switch (event.getEventId()) {
        case DocumentStart -> {
          if (root != null) {
            throw refuse(event, "a second document; a file has one: remove the '---'");
          }
        }
        case Scalar -> scalar((ScalarEvent) event);
        case Alias -> alias((AliasEvent) event);
        case SequenceStart, MappingStart -> open((CollectionStartEvent) event);
        case SequenceEnd, MappingEnd -> close();
        default -> {}
      }
    }
    if (root == null || (root instanceof Scalar scalar && scalar.isNull())) {
      problemCollector.error(new SourceLocation(file, 1, 1), "the file is empty");
    }
    return root;
  }

  private void scalar(ScalarEvent event) {
    refuseTag(event, event.getTag());
    Scalar scalar = new Scalar(event.getValue(), event.isPlain(), place(event));
    if (scalar.text().chars().anyMatch(YamlTree::isControl)) {
      problemCollector.error(
          scalar.sourceLocation(), "control character in " + shown(scalar.text()) + "; remove it");
    }
    count(event, 1);
    event.getAnchor().ifPresent(anchor -> anchors.put(anchor, new Anchored(scalar, 1)));
    add(scalar);
  }

  /** Line ends and tabs are allowed. */
  private static boolean isControl(int c) {
    return Character.isISOControl(c) && c != '\n' && c != '\t';
  }

  private void alias(AliasEvent event) {
    String name = shown("*" + event.getAlias().getValue());
    Anchored known = anchors.get(event.getAlias());
    if (known == null) {
      throw refuse(
          event, name + " repeats a value that has no name; quote a text that starts with '*'");
    }
    if (known.yamlNode == null) {
      throw refuse(event, name + " contains itself");
    }
    if (stack.size() + known.depth() > DEEPEST) {
      throw tooDeep(event);
    }
    count(event, known.size);
    Open top = stack.peek();
    if (top != null && top.isMapping && top.isKeyNext && known.yamlNode instanceof Scalar scalar) {
      add(new Scalar(scalar.text(), scalar.isPlain(), place(event)));
    } else {
      add(known.yamlNode);
    }
    if (top != null) {
      top.depth = Math.max(top.depth, known.depth());
    }
  }

  private void open(CollectionStartEvent event) {
    refuseTag(event, event.getTag());
    if (stack.size() >= DEEPEST) {
      throw tooDeep(event);
    }
    count(event, 1);
    boolean isMapping = event.getEventId() == Event.ID.MappingStart;
    Open open = new Open(isMapping, place(event), event.getAnchor(), nodes);
    event.getAnchor().ifPresent(anchor -> anchors.put(anchor, new Anchored(null, 0)));
    stack.push(open);
  }

  private void close() {
    Open open = stack.pop();
    YamlNode yamlNode = open.yamlNode();
    Anchored anchored = new Anchored(yamlNode, nodes - open.nodesBefore + 1, open.depth + 1);
    open.anchor.ifPresent(anchor -> anchors.put(anchor, anchored));
    add(yamlNode);
    Open parent = stack.peek();
    if (parent != null) {
      parent.depth = Math.max(parent.depth, open.depth + 1);
    }
  }

  private void add(YamlNode yamlNode) {
    Open top = stack.peek();
    if (top == null) {
      root = yamlNode;
    } else if (!top.isMapping) {
      top.items.add(yamlNode);
    } else if (top.isKeyNext) {
      top.isKeyNext = false;
      top.key = key(top, yamlNode);
    } else {
      top.isKeyNext = true;
      if (top.key != null) {
        top.entries.add(new Entry(top.key, yamlNode));
      }
      top.key = null;
    }
  }

  /** The node as a key; null if it cannot be one, and its value must be skipped. */
  private @Nullable Scalar key(Open mapping, YamlNode yamlNode) {
    if (!(yamlNode instanceof Scalar key)) {
      problemCollector.error(
          yamlNode.sourceLocation(), "a key must be a word, but is " + yamlNode.inWords());
      return null;
    }
    if (key.isPlain() && key.text().equals("<<")) {
      problemCollector.error(
          key.sourceLocation(), "merge keys ('<<') are not supported; write the fields out");
      return null;
    }
    Scalar first = mapping.keys.putIfAbsent(key.text(), key);
    if (first != null) {
      problemCollector.error(
          key.sourceLocation(),
          "duplicate key "
              + Excerpt.quoted(key.text())
              + "; the first is at "
              + first.sourceLocation());
      return null;
    }
    return key;
  }

  private void count(Event event, long more) {
    nodes += more;
    if (nodes > MAX_NODES) {
      throw refuse(event, "more than " + MAX_NODES + " values, aliases counted in full");
    }
  }

  private void refuseTag(NodeEvent event, Optional<String> tag) {
    if (tag.isPresent() && !tag.get().equals("!")) {
      throw refuse(event, "tags such as " + shown(tag.get()) + " are not supported; remove it");
    }
  }

  private String shown(String text) {
    return isSecret ? "'…'" : Excerpt.quoted(text);
  }

  private Refused tooDeep(Event event) {
    return refuse(event, "nested deeper than " + DEEPEST + " levels");
  }

  private Refused refuse(Event event, String message) {
    return new Refused(place(event), message);
  }

  private SourceLocation place(Event event) {
    return place(file, event.getStartMark());
  }

  static SourceLocation place(String file, Optional<Mark> mark) {
    return mark.map(at -> new SourceLocation(file, at.getLine() + 1, at.getColumn() + 1))
        .orElseGet(() -> new SourceLocation(file, 1, 1));
  }

  /** A collection that is still open. */
  private static final class Open {
    final boolean isMapping;
    final SourceLocation sourceLocation;
    final Optional<Anchor> anchor;
    final long nodesBefore;
    final List<YamlNode> items = new ArrayList<>();
    final List<Entry> entries = new ArrayList<>();
    final Map<String, Scalar> keys = new HashMap<>();
    boolean isKeyNext = true;
    @Nullable Scalar key;
    int depth;

    Open(
        boolean isMapping,
        SourceLocation sourceLocation,
        Optional<Anchor> anchor,
        long nodesBefore) {
      this.isMapping = isMapping;
      this.sourceLocation = sourceLocation;
      this.anchor = anchor;
      this.nodesBefore = nodesBefore;
    }

    YamlNode yamlNode() {
      return isMapping
          ? new Mapping(List.copyOf(entries), sourceLocation)
          : new Sequence(List.copyOf(items), sourceLocation);
    }
  }

  /** The value of an anchor; the node is null while it is still open. */
  private record Anchored(@Nullable YamlNode yamlNode, long size, int depth) {
    Anchored(@Nullable YamlNode yamlNode, long size) {
      this(yamlNode, size, 0);
    }
  }

  /** Ends the reading. */
  private static final class Refused extends RuntimeException {
    final transient SourceLocation sourceLocation;
    final String message;

    Refused(SourceLocation sourceLocation, String message) {
      super(message, null, false, false);
      this.sourceLocation = sourceLocation;
      this.message = message;
    }
  }
}
