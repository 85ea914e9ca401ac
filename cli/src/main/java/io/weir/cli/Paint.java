package io.weir.cli;

import picocli.CommandLine.Help.Ansi;

/** Colours for a terminal, and none for anything else. */
enum Paint {
  GREEN("32"),
  RED("31"),
  YELLOW("33"),
  BOLD("1"),
  FAINT("2");

  private final String code;

  Paint(String code) {
    this.code = code;
  }

  String on(String text) {
    return Ansi.AUTO.enabled() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
