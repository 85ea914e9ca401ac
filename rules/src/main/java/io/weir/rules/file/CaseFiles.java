package io.weir.rules.file;

import io.weir.rules.Place;
import io.weir.rules.RuleSet;
import io.weir.rules.cases.Case;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import io.weir.rules.text.Excerpt;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads test files for rules.
 *
 * <pre>{@code
 * rules: shop.yaml            # beside this file; or given: with rules written here
 * cases:
 *   - name: the sixth login within a minute is refused
 *     requests:
 *       - { request: POST /api/v1/login, from: 203.0.113.7, repeat: 5, every: 1s, expect: allowed }
 *       - { at: 5s, request: POST /api/v1/login, from: 203.0.113.7, expect: refused, rule: login }
 * }</pre>
 */
public final class CaseFiles {
  static final List<String> FIELDS = List.of("rules", "given", "start", "cases");
  static final List<String> CASE_FIELDS = List.of("name", "start", "requests");

  /** Midnight, so that windows of all units start with the case. */
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final Path path;
  private final Problems problems = new Problems();

  private CaseFiles(Path path) {
    this.path = path;
  }

  /**
   * The cases of a file, in its order.
   *
   * @throws InvalidRulesException with all errors of the file and of its rules
   */
  public static List<Case> load(Path file) {
    CaseFiles reader = new CaseFiles(file);
    List<Case> cases = reader.read();
    if (!reader.problems.isEmpty()) {
      throw new InvalidRulesException(reader.problems.inOrder());
    }
    return cases;
  }

  private List<Case> read() {
    Place place = new Place(path.toString(), 1, 1);
    problems.reading(place.file());
    byte[] content = FileReader.once(problems).read(path, place);
    Node root = content == null ? null : YamlTree.read(place.file(), content, problems);
    if (root instanceof Mapping mapping && RuleFiles.isOfRules(mapping)) {
      problems.error(root.place(), "this is a file of rules; tests belong in a file of their own");
      return List.of();
    }
    Fields file = root == null ? null : Fields.of(root, "a file of cases", FIELDS, problems);
    if (file == null) {
      return List.of();
    }
    // Report errors in the cases even if the rules are invalid.
    RuleSet rules = rules(file).orElseGet(() -> RuleSet.of(List.of()));
    Instant start = new CaseTimes(problems).start(file.scalar("start"), START);
    Node cases = file.get("cases");
    if (cases == null && !problems.isEmpty()) {
      return List.of();
    }
    if (!(cases instanceof Sequence list) || list.items().isEmpty()) {
      problems.error(
          cases == null ? file.place() : cases.place(),
          cases == null
              ? "'cases' is missing: a list of tests"
              : "'cases' must be a list of tests with at least one");
      return List.of();
    }
    List<Case> all = new ArrayList<>();
    for (Node item : list.items()) {
      Case one = testCase(item, rules, start);
      if (one != null) {
        all.add(one);
      }
    }
    return all;
  }

  private Optional<RuleSet> rules(Fields file) {
    Node given = file.get("given");
    Node files = file.get("rules");
    if (given == null && files == null && !problems.isEmpty()) {
      return Optional.empty(); // probably a misspelt field, which is reported elsewhere
    }
    if ((given == null) == (files == null)) {
      problems.error(
          file.place(),
          given == null
              ? "'rules' is missing: a rule file beside this one; or write rules under 'given'"
              : "either 'rules', which names a file, or 'given', which holds rules; not both");
      return Optional.empty();
    }
    return given != null ? RuleFiles.readWithin(given, problems) : fromFiles(files);
  }

  private Optional<RuleSet> fromFiles(@Nullable Node node) {
    List<Path> paths = new ArrayList<>();
    List<Node> names =
        node instanceof Sequence list ? list.items() : node == null ? List.of() : List.of(node);
    for (Node name : names) {
      if (name instanceof Scalar scalar && !scalar.isNull() && !scalar.text().isBlank()) {
        addPath(scalar, paths);
      } else {
        problems.error(
            name.place(),
            "'rules' must name a file"
                + (name instanceof Mapping ? "; to write rules here, use 'given'" : ""));
      }
    }
    if (paths.isEmpty()) {
      return Optional.empty();
    }
    Reading reading = RuleFiles.read(paths);
    reading.problems().forEach(problem -> problems.error(problem.place(), problem.message()));
    return reading.rules();
  }

  private void addPath(Scalar name, List<Path> paths) {
    try {
      Path file = path.resolveSibling(name.text());
      if (java.nio.file.Files.exists(file)) {
        paths.add(file);
      } else {
        problems.error(name.place(), "no such file: " + Excerpt.of(file.toString()));
      }
    } catch (java.nio.file.InvalidPathException e) {
      problems.error(name.place(), Excerpt.quoted(name.text()) + " is not a file name");
    }
  }

  private @Nullable Case testCase(Node node, RuleSet rules, Instant otherwise) {
    List<String> known = new ArrayList<>(CASE_FIELDS);
    known.addAll(CaseRequests.SHARED);
    Fields fields = Fields.of(node, "a case", known, problems);
    if (fields == null) {
      return null;
    }
    Scalar name = fields.scalar("name");
    Node requests = fields.get("requests");
    if (name == null || name.text().isBlank()) {
      problems.error(fields.place(), "a case needs a 'name'");
    }
    if (!(requests instanceof Sequence list) || list.items().isEmpty()) {
      problems.error(
          requests == null ? fields.place() : requests.place(),
          "a case needs 'requests': a list with at least one");
      return null;
    }
    Instant start = new CaseTimes(problems).start(fields.scalar("start"), otherwise);
    return new Case(
        name == null ? "" : name.text(),
        fields.place(),
        rules,
        start,
        new CaseRequests(problems, start, fields).steps(list));
  }
}
