package io.weir.rules.file;

import io.weir.OnFailure;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.BoundedFileReader;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlTree;
import io.weir.text.DidYouMean;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads rule files and directories of them. In a directory, files with names that end in {@code
 * .yaml} or {@code .yml} are read, by name. Tests ({@code .test.yaml}), hidden files (a dot at the
 * start), other files and subdirectories are ignored. A file with two paths is read once.
 */
public final class RuleFiles {
  private static final Map<String, RuleFileForm> FORMS = new LinkedHashMap<>();

  static {
    FORMS.put(NativeForm.KEY, new NativeForm());
    FORMS.put(TierForm.KEY, new TierForm());
    FORMS.put(EnvoyForm.KEY, new EnvoyForm());
  }

  private final ProblemCollector problemCollector;
  private final BoundedFileReader files;
  private final Draft draft;
  private final List<Path> missing = new ArrayList<>();
  private final Set<Path> seen = new HashSet<>();

  private RuleFiles(ProblemCollector problemCollector, BoundedFileReader files) {
    this(problemCollector, files, OnFailure.ALLOW);
  }

  private RuleFiles(
      ProblemCollector problemCollector, BoundedFileReader files, OnFailure onFailure) {
    this.problemCollector = problemCollector;
    this.files = files;
    draft = new Draft(problemCollector, files, onFailure);
  }

  /**
   * The rules of all {@code paths}, files and directories, together.
   *
   * @throws InvalidRulesException with all errors of all files
   */
  public static RuleSet load(List<Path> paths) {
    Reading reading = read(paths);
    return reading.rules().orElseThrow(() -> new InvalidRulesException(reading.problems()));
  }

  /** Reads the rules of all {@code paths}, files and directories. Never throws. */
  public static Reading read(List<Path> paths) {
    ProblemCollector problemCollector = new ProblemCollector();
    return new RuleFiles(problemCollector, BoundedFileReader.once(problemCollector)).readAll(paths);
  }

  /**
   * Reads rules embedded in a program.
   *
   * @param name its name in problems
   */
  public static Reading read(String name, byte[] content) {
    ProblemCollector problemCollector = new ProblemCollector();
    RuleFiles reader = new RuleFiles(problemCollector, BoundedFileReader.once(problemCollector));
    reader.read(new InlineRules(name, content));
    return reader.finished();
  }

  /**
   * {@link #read(List)} for repeated reading, which does not wait for pipes.
   *
   * @param beforeReading receives each path before it is accessed
   */
  static Reading read(RuleInputs sources, Consumer<Path> beforeReading) {
    ProblemCollector problemCollector = new ProblemCollector();
    BoundedFileReader files = BoundedFileReader.again(problemCollector, beforeReading);
    RuleFiles reader = new RuleFiles(problemCollector, files, sources.onFailure());
    sources.inlineRules().forEach(reader::read);
    return reader.readAll(sources.paths());
  }

  private void read(InlineRules inlineRules) {
    problemCollector.reading(inlineRules.name());
    YamlNode root = YamlTree.read(inlineRules.name(), inlineRules.content(), problemCollector);
    if (root != null) {
      read(root);
    }
  }

  /** The rules inside another file; empty, with errors, if they are invalid. */
  public static Optional<RuleSet> readWithin(YamlNode rules, ProblemCollector problemCollector) {
    int before = problemCollector.count();
    RuleFiles reader = new RuleFiles(problemCollector, BoundedFileReader.once(problemCollector));
    reader.read(rules);
    reader.draft.check();
    return problemCollector.count() == before
        ? Optional.of(RuleSet.of(reader.draft.domains()))
        : Optional.empty();
  }

  /** Whether {@code file} contains rules in any form, as opposed to tests. */
  public static boolean isOfRules(Mapping file) {
    return file.entry("cases") == null
        && file.entries().stream()
            .anyMatch(
                entry -> FORMS.containsKey(entry.key().text()) && !isNameOfFiles(entry.value()));
  }

  private static boolean isNameOfFiles(YamlNode yamlNode) {
    return yamlNode instanceof YamlNode.Sequence list
        ? list.items().stream().anyMatch(YamlNode.Scalar.class::isInstance)
        : yamlNode instanceof YamlNode.Scalar;
  }

  private Reading readAll(List<Path> paths) {
    for (Path path : paths) {
      SourceLocation sourceLocation = new SourceLocation(path.toString(), 1, 1);
      if (Files.isDirectory(path)) {
        directory(path, sourceLocation);
      } else if (Files.exists(path)) {
        file(path, sourceLocation);
      } else {
        missing.add(path);
        files.remember(path);
        problemCollector.error(sourceLocation, "no such file or directory");
      }
    }
    return finished();
  }

  private Reading finished() {
    draft.check();
    Optional<RuleSet> rules =
        problemCollector.isEmpty() ? Optional.of(RuleSet.of(draft.domains())) : Optional.empty();
    return new Reading(rules, problemCollector.inOrder(), files.files(), missing);
  }

  private void directory(Path directory, SourceLocation sourceLocation) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (isRuleFile(entry)) {
          found.add(entry);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      problemCollector.error(
          sourceLocation, "the directory cannot be read: " + Excerpt.of("" + e.getMessage()));
      return;
    }
    if (found.isEmpty()) {
      problemCollector.error(sourceLocation, "no rule files here: none that ends in .yaml or .yml");
    }
    found.sort(Comparator.comparing(Path::getFileName));
    found.forEach(file -> file(file, new SourceLocation(file.toString(), 1, 1)));
  }

  private static boolean isRuleFile(Path entry) {
    String name = String.valueOf(entry.getFileName());
    return !name.startsWith(".")
        && !name.endsWith(".test.yaml")
        && !name.endsWith(".test.yml")
        && (name.endsWith(".yaml") || name.endsWith(".yml"))
        && (Files.isRegularFile(entry) || Files.notExists(entry)); // a dangling link
  }

  private void file(Path path, SourceLocation sourceLocation) {
    if (!seen.add(identity(path))) {
      return;
    }
    problemCollector.reading(sourceLocation.file());
    byte[] content = files.read(path, sourceLocation);
    YamlNode root =
        content == null ? null : YamlTree.read(sourceLocation.file(), content, problemCollector);
    if (root != null) {
      read(root);
    }
  }

  private static Path identity(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath();
    }
  }

  private void read(YamlNode root) {
    if (!(root instanceof Mapping file)) {
      problemCollector.error(
          root.sourceLocation(),
          "a rule file must be a map, but is " + root.inWords() + expected());
      return;
    }
    List<Entry> forms =
        file.entries().stream().filter(entry -> FORMS.containsKey(entry.key().text())).toList();
    if (forms.isEmpty()) {
      reportUnknownFields(file);
    } else if (forms.size() > 1) {
      Entry second = forms.get(1);
      problemCollector.error(
          second.key().sourceLocation(),
          "a file has one form: either '%s' or '%s'"
              .formatted(forms.get(0).key().text(), second.key().text()));
    } else {
      FORMS.getOrDefault(forms.get(0).key().text(), (none, into) -> {}).read(file, draft);
    }
  }

  private void reportUnknownFields(Mapping file) {
    for (Entry entry : file.entries()) {
      String key = entry.key().text();
      String guess = DidYouMean.of(key, FORMS.keySet());
      if (!guess.isEmpty()) {
        problemCollector.error(
            entry.key().sourceLocation(), "unknown field " + Excerpt.quoted(key) + guess);
        return;
      }
    }
    problemCollector.error(file.sourceLocation(), "a file of unknown form" + expected());
  }

  private static String expected() {
    return "; it needs one of " + String.join(", ", FORMS.keySet());
  }
}
