package io.weir.bench.contest;

import io.weir.bench.line.Choice;

/** A contender. */
public interface Entrant extends Choice {
  /** Its name in reports. */
  String label();
}
