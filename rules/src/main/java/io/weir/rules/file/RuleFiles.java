package io.weir.rules.file;

import io.weir.OnFailure;
import io.weir.rules.Place;
import io.weir.rules.RuleSet;
import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.text.Excerpt;
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
  private static final Map<String, Form> FORMS = new LinkedHashMap<>();

  static {
    FORMS.put(NativeForm.KEY, new NativeForm());
    FORMS.put(TierForm.KEY, new TierForm());
    FORMS.put(EnvoyForm.KEY, new EnvoyForm());
  }

  private final Problems problems;
  private final FileReader files;
  private final Draft draft;
  private final List<Path> missing = new ArrayList<>();
  private final Set<Path> seen = new HashSet<>();

  private RuleFiles(Problems problems, FileReader files) {
    this(problems, files, OnFailure.ALLOW);
  }

  private RuleFiles(Problems problems, FileReader files, OnFailure onFailure) {
    this.problems = problems;
    this.files = files;
    draft = new Draft(problems, files, onFailure);
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
    Problems problems = new Problems();
    return new RuleFiles(problems, FileReader.once(problems)).readAll(paths);
  }

  /**
   * Reads rules embedded in a program.
   *
   * @param name its name in problems
   */
  public static Reading read(String name, byte[] content) {
    Problems problems = new Problems();
    RuleFiles reader = new RuleFiles(problems, FileReader.once(problems));
    reader.read(new Carried(name, content));
    return reader.finished();
  }

  /**
   * {@link #read(List)} for repeated reading, which does not wait for pipes.
   *
   * @param beforeReading receives each path before it is accessed
   */
  static Reading read(RuleSources sources, Consumer<Path> beforeReading) {
    Problems problems = new Problems();
    FileReader files = FileReader.again(problems, beforeReading);
    RuleFiles reader = new RuleFiles(problems, files, sources.onFailure());
    sources.carried().forEach(reader::read);
    return reader.readAll(sources.paths());
  }

  private void read(Carried carried) {
    problems.reading(carried.name());
    Node root = YamlTree.read(carried.name(), carried.content(), problems);
    if (root != null) {
      read(root);
    }
  }

  /** The rules inside another file; empty, with errors, if they are invalid. */
  static Optional<RuleSet> readWithin(Node rules, Problems problems) {
    int before = problems.count();
    RuleFiles reader = new RuleFiles(problems, FileReader.once(problems));
    reader.read(rules);
    reader.draft.check();
    return problems.count() == before
        ? Optional.of(RuleSet.of(reader.draft.domains()))
        : Optional.empty();
  }

  /** Whether {@code file} contains rules in any form, as opposed to tests. */
  static boolean isOfRules(Mapping file) {
    return file.entry("cases") == null
        && file.entries().stream()
            .anyMatch(
                entry -> FORMS.containsKey(entry.key().text()) && !isNameOfFiles(entry.value()));
  }

  private static boolean isNameOfFiles(Node node) {
    return node instanceof Node.Sequence list
        ? list.items().stream().anyMatch(Node.Scalar.class::isInstance)
        : node instanceof Node.Scalar;
  }

  private Reading readAll(List<Path> paths) {
    for (Path path : paths) {
      Place place = new Place(path.toString(), 1, 1);
      if (Files.isDirectory(path)) {
        directory(path, place);
      } else if (Files.exists(path)) {
        file(path, place);
      } else {
        missing.add(path);
        files.remember(path);
        problems.error(place, "no such file or directory");
      }
    }
    return finished();
  }

  private Reading finished() {
    draft.check();
    Optional<RuleSet> rules =
        problems.isEmpty() ? Optional.of(RuleSet.of(draft.domains())) : Optional.empty();
    return new Reading(rules, problems.inOrder(), files.files(), missing);
  }

  private void directory(Path directory, Place place) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (isRuleFile(entry)) {
          found.add(entry);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      problems.error(place, "the directory cannot be read: " + Excerpt.of("" + e.getMessage()));
      return;
    }
    if (found.isEmpty()) {
      problems.error(place, "no rule files here: none that ends in .yaml or .yml");
    }
    found.sort(Comparator.comparing(Path::getFileName));
    found.forEach(file -> file(file, new Place(file.toString(), 1, 1)));
  }

  private static boolean isRuleFile(Path entry) {
    String name = String.valueOf(entry.getFileName());
    return !name.startsWith(".")
        && !name.endsWith(".test.yaml")
        && !name.endsWith(".test.yml")
        && (name.endsWith(".yaml") || name.endsWith(".yml"))
        && (Files.isRegularFile(entry) || Files.notExists(entry)); // a dangling link
  }

  private void file(Path path, Place place) {
    if (!seen.add(identity(path))) {
      return;
    }
    problems.reading(place.file());
    byte[] content = files.read(path, place);
    Node root = content == null ? null : YamlTree.read(place.file(), content, problems);
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

  private void read(Node root) {
    if (!(root instanceof Mapping file)) {
      problems.error(
          root.place(), "a rule file must be a map, but is " + root.inWords() + expected());
      return;
    }
    List<Entry> forms =
        file.entries().stream().filter(entry -> FORMS.containsKey(entry.key().text())).toList();
    if (forms.isEmpty()) {
      sayUnknown(file);
    } else if (forms.size() > 1) {
      Entry second = forms.get(1);
      problems.error(
          second.key().place(),
          "a file has one form: either '%s' or '%s'"
              .formatted(forms.get(0).key().text(), second.key().text()));
    } else {
      FORMS.getOrDefault(forms.get(0).key().text(), (none, into) -> {}).read(file, draft);
    }
  }

  private void sayUnknown(Mapping file) {
    for (Entry entry : file.entries()) {
      String key = entry.key().text();
      String guess = DidYouMean.of(key, FORMS.keySet());
      if (!guess.isEmpty()) {
        problems.error(entry.key().place(), "unknown field " + Excerpt.quoted(key) + guess);
        return;
      }
    }
    problems.error(file.place(), "a file of unknown form" + expected());
  }

  private static String expected() {
    return "; it needs one of " + String.join(", ", FORMS.keySet());
  }
}
