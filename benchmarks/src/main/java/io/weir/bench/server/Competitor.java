package io.weir.bench.server;

import io.weir.bench.cli.Choice;

/** A contender. */
public interface Competitor extends Choice {
  /** Its name in reports. */
  String label();
}
