package io.weir.rules.file;

import io.weir.rules.Place;
import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import io.weir.rules.text.Excerpt;
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
 * Reads one YAML file into {@link Node nodes}.
 *
 * <p>Aliases are expanded. Merge keys, tags and several documents in a file are errors. So are
 * nesting deeper than {@link #DEEPEST} and more than {@link #MOST_NODES} nodes, counted with
 * expanded aliases. So the tree can be walked recursively in bounded time.
 */
final class YamlTree {
  /*
   * The tree is built from the parser's events with a stack of open collections, without recursion.
   * An alias shares the node that it repeats. So a tree of nested aliases is small in memory but
   * may be huge to walk. That is why the size of each node is known once it is closed, and an alias
   * adds that size.
   */

  /** The maximum nesting depth. */
  static final int DEEPEST = 50;

  /** The maximum number of nodes in a file. */
  static final int MOST_NODES = 10_000_000;

  private final String file;
  private final Problems problems;
  private final boolean isSecret;
  private final Deque<Open> stack = new ArrayDeque<>();
  private final Map<Anchor, Anchored> anchors = new HashMap<>();
  private @Nullable Node root;
  private long nodes;

  private YamlTree(String file, Problems problems, boolean isSecret) {
    this.file = file;
    this.problems = problems;
    this.isSecret = isSecret;
  }

  /** The value in {@code content}; null if its syntax is invalid. */
  static @Nullable Node read(String file, byte[] content, Problems problems) {
    String text = Utf8.decode(file, content, problems);
    return text == null ? null : read(file, text, problems, false);
  }

  /** The value in a file with passwords: no message shows a value. */
  static @Nullable Node readSecret(String file, byte[] content, Problems problems) {
    String text = Utf8.decode(file, content, problems);
    return text == null ? null : read(file, text, problems, true);
  }

  /** The value in {@code text}; null if its syntax is invalid. */
  static @Nullable Node read(String file, String text, Problems problems) {
    return read(file, text, problems, false);
  }

  private static @Nullable Node read(
      String file, String text, Problems problems, boolean isSecret) {
    int before = problems.count();
    try {
      Node root = new YamlTree(file, problems, isSecret).build(events(text));
      return problems.count() == before ? root : null;
    } catch (Refused e) {
      problems.error(e.place, e.message);
    } catch (MarkedYamlEngineException e) {
      SyntaxErrors.tell(file, text, e, problems, isSecret);
    } catch (RuntimeException e) {
      // Any exception of the parser library is reported as an error of the file.
      problems.error(
          new Place(file, 1, 1),
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

  private @Nullable Node build(Iterator<Event> events) {
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
      problems.error(new Place(file, 1, 1), "the file is empty");
    }
    return root;
  }

  private void scalar(ScalarEvent event) {
    refuseTag(event, event.getTag());
    Scalar scalar = new Scalar(event.getValue(), event.isPlain(), place(event));
    if (scalar.text().chars().anyMatch(YamlTree::isControl)) {
      problems.error(
          scalar.place(), "control character in " + shown(scalar.text()) + "; remove it");
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
    if (known.node == null) {
      throw refuse(event, name + " contains itself");
    }
    if (stack.size() + known.depth() > DEEPEST) {
      throw tooDeep(event);
    }
    count(event, known.size);
    Open top = stack.peek();
    if (top != null && top.isMapping && top.isKeyNext && known.node instanceof Scalar scalar) {
      add(new Scalar(scalar.text(), scalar.isPlain(), place(event)));
    } else {
      add(known.node);
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
    Node node = open.node();
    Anchored anchored = new Anchored(node, nodes - open.nodesBefore + 1, open.depth + 1);
    open.anchor.ifPresent(anchor -> anchors.put(anchor, anchored));
    add(node);
    Open parent = stack.peek();
    if (parent != null) {
      parent.depth = Math.max(parent.depth, open.depth + 1);
    }
  }

  private void add(Node node) {
    Open top = stack.peek();
    if (top == null) {
      root = node;
    } else if (!top.isMapping) {
      top.items.add(node);
    } else if (top.isKeyNext) {
      top.isKeyNext = false;
      top.key = key(top, node);
    } else {
      top.isKeyNext = true;
      if (top.key != null) {
        top.entries.add(new Entry(top.key, node));
      }
      top.key = null;
    }
  }

  /** The node as a key; null if it cannot be one, and its value must be skipped. */
  private @Nullable Scalar key(Open mapping, Node node) {
    if (!(node instanceof Scalar key)) {
      problems.error(node.place(), "a key must be a word, but is " + node.inWords());
      return null;
    }
    if (key.isPlain() && key.text().equals("<<")) {
      problems.error(key.place(), "merge keys ('<<') are not supported; write the fields out");
      return null;
    }
    Scalar first = mapping.keys.putIfAbsent(key.text(), key);
    if (first != null) {
      problems.error(
          key.place(),
          "duplicate key " + Excerpt.quoted(key.text()) + "; the first is at " + first.place());
      return null;
    }
    return key;
  }

  private void count(Event event, long more) {
    nodes += more;
    if (nodes > MOST_NODES) {
      throw refuse(event, "more than " + MOST_NODES + " values, aliases counted in full");
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

  private Place place(Event event) {
    return place(file, event.getStartMark());
  }

  static Place place(String file, Optional<Mark> mark) {
    return mark.map(at -> new Place(file, at.getLine() + 1, at.getColumn() + 1))
        .orElseGet(() -> new Place(file, 1, 1));
  }

  /** A collection that is still open. */
  private static final class Open {
    final boolean isMapping;
    final Place place;
    final Optional<Anchor> anchor;
    final long nodesBefore;
    final List<Node> items = new ArrayList<>();
    final List<Entry> entries = new ArrayList<>();
    final Map<String, Scalar> keys = new HashMap<>();
    boolean isKeyNext = true;
    @Nullable Scalar key;
    int depth;

    Open(boolean isMapping, Place place, Optional<Anchor> anchor, long nodesBefore) {
      this.isMapping = isMapping;
      this.place = place;
      this.anchor = anchor;
      this.nodesBefore = nodesBefore;
    }

    Node node() {
      return isMapping
          ? new Mapping(List.copyOf(entries), place)
          : new Sequence(List.copyOf(items), place);
    }
  }

  /** The value of an anchor; the node is null while it is still open. */
  private record Anchored(@Nullable Node node, long size, int depth) {
    Anchored(@Nullable Node node, long size) {
      this(node, size, 0);
    }
  }

  /** Ends the reading. */
  private static final class Refused extends RuntimeException {
    final transient Place place;
    final String message;

    Refused(Place place, String message) {
      super(message, null, false, false);
      this.place = place;
      this.message = message;
    }
  }
}
