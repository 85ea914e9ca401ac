package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Relative links in documents lead to files and headings that exist. */
class LinkTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> SKIPPED = Set.of("target", "node_modules", ".git", ".m2");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} (.*)");
  private static final Pattern DOCUMENT = Pattern.compile("docs/[a-z0-9/-]+\\.md");

  @Test
  void relativeLinksLeadToFilesAndHeadings() throws IOException {
    List<String> broken = new ArrayList<>();
    Map<Path, Set<String>> anchors = new HashMap<>();
    for (Path document : files(ROOT, ".md")) {
      for (String line : prose(document)) {
        Matcher link = LINK.matcher(line.replaceAll("`[^`]*`", "x"));
        while (link.find()) {
          String target = link.group(1);
          if (!target.matches("[a-z]+:.*") && !leadsSomewhere(document, target, anchors)) {
            broken.add(ROOT.relativize(document) + ": " + target);
          }
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void documentsNamedInSourcesAndConfigurationExist() throws IOException {
    List<String> missing = new ArrayList<>();
    for (String suffix : List.of(".java", ".lua", ".yaml", ".yml")) {
      for (Path file : files(ROOT, suffix)) {
        Matcher named = DOCUMENT.matcher(Files.readString(file));
        while (named.find()) {
          if (!Files.exists(ROOT.resolve(named.group()))) {
            missing.add(ROOT.relativize(file) + ": " + named.group());
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyDocumentIsInTheIndex() throws IOException {
    String index = Files.readString(ROOT.resolve("docs/README.md"));
    assertThat(files(ROOT.resolve("docs"), ".md"))
        .map(file -> ROOT.resolve("docs").relativize(file).toString().replace('\\', '/'))
        .filteredOn(name -> !name.equals("README.md") && !name.startsWith("decisions/"))
        .allSatisfy(name -> assertThat(index).contains("(" + name + ")"));
  }

  private static boolean leadsSomewhere(
      Path document, String target, Map<Path, Set<String>> anchors) throws IOException {
    int hash = target.indexOf('#');
    String path = hash < 0 ? target : target.substring(0, hash);
    Path file = path.isEmpty() ? document : document.resolveSibling(path).normalize();
    if (!Files.exists(file)) {
      return false;
    }
    if (hash < 0 || !file.toString().endsWith(".md")) {
      return true;
    }
    Set<String> known = anchors.get(file);
    if (known == null) {
      known = anchors(file);
      anchors.put(file, known);
    }
    return known.contains(target.substring(hash + 1));
  }

  /** The anchors of the headings of a document, as GitHub makes them. */
  private static Set<String> anchors(Path document) throws IOException {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> times = new HashMap<>();
    for (String line : prose(document)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        String anchor =
            heading
                .group(1)
                .strip()
                .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
        int before = times.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
    }
    return anchors;
  }

  /** The lines of a document without its blocks of code. */
  private static List<String> prose(Path document) throws IOException {
    List<String> lines = new ArrayList<>();
    boolean isCode = false;
    for (String line : Files.readAllLines(document)) {
      if (line.stripLeading().startsWith("```")) {
        isCode = !isCode;
      } else if (!isCode) {
        lines.add(line);
      }
    }
    return lines;
  }

  private static List<Path> files(Path root, String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes any) {
            return SKIPPED.contains(String.valueOf(directory.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes any) {
            if (file.toString().endsWith(suffix)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
