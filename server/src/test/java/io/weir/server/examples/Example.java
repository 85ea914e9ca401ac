package io.weir.server.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of {@code examples/}, as they are. */
final class Example {
  private Example() {}

  static Path path(String name) {
    return Path.of("../examples", name);
  }

  static String text(String name) {
    try {
      return Files.readString(path(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text with {@code from} changed into {@code to}, which must be there. */
  static String replace(String text, String from, String to) {
    if (!text.contains(from)) {
      throw new IllegalArgumentException("there is no " + from + " in\n" + text);
    }
    return text.replace(from, to);
  }
}
