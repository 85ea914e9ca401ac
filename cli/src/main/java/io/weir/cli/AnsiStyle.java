package io.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Help.Ansi;

/** Colours for a terminal, and none for other output. */
enum AnsiStyle {
  GREEN("32"),
  RED("31"),
  YELLOW("33"),
  BOLD("1"),
  FAINT("2");

  private final String code;

  AnsiStyle(String code) {
    this.code = code;
  }

  /** Checks for a terminal when there is first something to paint. */
  private static final class Terminal {
    static final boolean IS_THERE = !isKnownToBeNone() && Ansi.AUTO.enabled();

    /** Uses a cheap check on Linux; other systems have to load a large part of a library. */
    private static boolean isKnownToBeNone() {
      try {
        return !Files.readSymbolicLink(Path.of("/proc/self/fd/1")).startsWith("/dev");
      } catch (IOException | UnsupportedOperationException e) {
        return false;
      }
    }
  }

  String on(String text) {
    return Terminal.IS_THERE ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
