package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Rule files written for a test, in a directory of their own. */
final class RuleFileFixture {
  private final Path directory;

  RuleFileFixture(Path directory) {
    this.directory = directory;
  }

  Path file(String name, String text) {
    return file(name, text.getBytes(UTF_8));
  }

  Path file(String name, byte[] content) {
    try {
      Path file = directory.resolve(name);
      Files.createDirectories(file.getParent());
      return Files.write(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The errors of a file with this text, without the directory's name. */
  List<String> errors(String text) {
    return errors(file("r.yaml", text));
  }

  List<String> errors(byte[] content) {
    return errors(file("r.yaml", content));
  }

  List<String> errors(Path... paths) {
    return RuleFiles.read(List.of(paths)).problems().stream()
        .map(problem -> problem.toString().replace(directory + "/", ""))
        .toList();
  }

  RuleSet rules(String text) {
    return RuleFiles.load(List.of(file("r.yaml", text)));
  }

  /** The only rule of a file with this text. */
  Rule rule(String text) {
    return rules(text).rules().get(0);
  }
}
