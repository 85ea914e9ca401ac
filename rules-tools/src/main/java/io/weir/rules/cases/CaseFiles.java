package io.weir.rules.cases;

import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import io.weir.rules.yaml.YamlTree;
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
  private final ProblemCollector problemCollector = new ProblemCollector();

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
    if (!reader.problemCollector.isEmpty()) {
      throw new InvalidRulesException(reader.problemCollector.inOrder());
    }
    return cases;
  }

  private List<Case> read() {
    SourceLocation sourceLocation = new SourceLocation(path.toString(), 1, 1);
    problemCollector.reading(sourceLocation.file());
    byte[] content = BoundedFileReader.once(problemCollector).read(path, sourceLocation);
    YamlNode root =
        content == null ? null : YamlTree.read(sourceLocation.file(), content, problemCollector);
    if (root instanceof Mapping mapping && RuleFiles.isOfRules(mapping)) {
      problemCollector.error(
          root.sourceLocation(), "this is a file of rules; tests belong in a file of their own");
      return List.of();
    }
    YamlFields file =
        root == null ? null : YamlFields.of(root, "a file of cases", FIELDS, problemCollector);
    if (file == null) {
      return List.of();
    }
    // Report errors in the cases even if the rules are invalid.
    RuleSet rules = rules(file).orElseGet(() -> RuleSet.of(List.of()));
    Instant start = new CaseTimes(problemCollector).start(file.scalar("start"), START);
    YamlNode cases = file.get("cases");
    if (cases == null && !problemCollector.isEmpty()) {
      return List.of();
    }
    if (!(cases instanceof Sequence list) || list.items().isEmpty()) {
      problemCollector.error(
          cases == null ? file.sourceLocation() : cases.sourceLocation(),
          cases == null
              ? "'cases' is missing: a list of tests"
              : "'cases' must be a list of tests with at least one");
      return List.of();
    }
    List<Case> all = new ArrayList<>();
    for (YamlNode item : list.items()) {
      Case one = testCase(item, rules, start);
      if (one != null) {
        all.add(one);
      }
    }
    return all;
  }

  private Optional<RuleSet> rules(YamlFields file) {
    YamlNode given = file.get("given");
    YamlNode files = file.get("rules");
    if (given == null && files == null && !problemCollector.isEmpty()) {
      return Optional.empty(); // probably a misspelt field, which is reported as unknown
    }
    if ((given == null) == (files == null)) {
      problemCollector.error(
          file.sourceLocation(),
          given == null
              ? "'rules' is missing: a rule file beside this one; or write rules under 'given'"
              : "either 'rules', which names a file, or 'given', which holds rules; not both");
      return Optional.empty();
    }
    return given != null ? RuleFiles.readWithin(given, problemCollector) : fromFiles(files);
  }

  private Optional<RuleSet> fromFiles(@Nullable YamlNode yamlNode) {
    List<Path> paths = new ArrayList<>();
    List<YamlNode> names =
        yamlNode instanceof Sequence list
            ? list.items()
            : yamlNode == null ? List.of() : List.of(yamlNode);
    for (YamlNode name : names) {
      if (name instanceof Scalar scalar && !scalar.isNull() && !scalar.text().isBlank()) {
        addPath(scalar, paths);
      } else {
        problemCollector.error(
            name.sourceLocation(),
            "'rules' must name a file"
                + (name instanceof Mapping ? "; to write rules here, use 'given'" : ""));
      }
    }
    if (paths.isEmpty()) {
      return Optional.empty();
    }
    Reading reading = RuleFiles.read(paths);
    reading
        .problems()
        .forEach(problem -> problemCollector.error(problem.sourceLocation(), problem.message()));
    return reading.rules();
  }

  private void addPath(Scalar name, List<Path> paths) {
    try {
      Path file = path.resolveSibling(name.text());
      if (java.nio.file.Files.exists(file)) {
        paths.add(file);
      } else {
        problemCollector.error(
            name.sourceLocation(), "no such file: " + Excerpt.of(file.toString()));
      }
    } catch (java.nio.file.InvalidPathException e) {
      problemCollector.error(
          name.sourceLocation(), Excerpt.quoted(name.text()) + " is not a file name");
    }
  }

  private @Nullable Case testCase(YamlNode yamlNode, RuleSet rules, Instant otherwise) {
    List<String> known = new ArrayList<>(CASE_FIELDS);
    known.addAll(CaseRequests.SHARED);
    YamlFields yamlFields = YamlFields.of(yamlNode, "a case", known, problemCollector);
    if (yamlFields == null) {
      return null;
    }
    Scalar name = yamlFields.scalar("name");
    YamlNode requests = yamlFields.get("requests");
    if (name == null || name.text().isBlank()) {
      problemCollector.error(yamlFields.sourceLocation(), "a case needs a 'name'");
    }
    if (!(requests instanceof Sequence list) || list.items().isEmpty()) {
      problemCollector.error(
          requests == null ? yamlFields.sourceLocation() : requests.sourceLocation(),
          "a case needs 'requests': a list with at least one");
      return null;
    }
    Instant start = new CaseTimes(problemCollector).start(yamlFields.scalar("start"), otherwise);
    return new Case(
        name == null ? "" : name.text(),
        yamlFields.sourceLocation(),
        rules,
        start,
        new CaseRequests(problemCollector, start, yamlFields).steps(list));
  }
}
