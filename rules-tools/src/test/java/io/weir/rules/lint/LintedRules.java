package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Rules as they are written in a file. */
final class LintedRules {
  private static final String ATTRIBUTES =
      """
      attributes:
        api_key: { header: X-API-Key }
        user:    { header: X-User-Id }
        tier:    { lookup: api_key, map: { k1: pro, k2: gold }, default: free }
        plan:    { lookup: api_key, map: { k1: small, k2: large } }
        client:  { first_of: [api_key, ip] }
        caller:  { first_of: [user, api_key] }
      """;

  private LintedRules() {}

  /** The warnings about rules, which may speak of the attributes above and are in lines from 8. */
  static List<String> warnings(String rules) {
    return warningsOf(ATTRIBUTES + "rules:\n" + rules.indent(2));
  }

  /** The warnings about a file, without its name. */
  static List<String> warningsOf(String text) {
    return Lint.of(load(text)).stream()
        .map(Problem::toString)
        .map(line -> line.replaceAll("(?<=^|\\()[^ ()]*?rules\\.yaml:", ""))
        .filter(line -> !line.contains("is used by no rule") || text.contains("# unused"))
        .filter(line -> !line.contains("can invent values") || text.contains("# invented"))
        .toList();
  }

  static RuleSet load(String text) {
    try {
      Path directory = Files.createTempDirectory("lint");
      Path file = directory.resolve("rules.yaml");
      try {
        Files.writeString(file, text);
        return RuleFiles.load(List.of(file));
      } finally {
        Files.deleteIfExists(file);
        Files.deleteIfExists(directory);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
