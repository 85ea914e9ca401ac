package io.weir.bench.contest;

import io.weir.bench.line.Choice;

/** Who can take part. */
public interface Entrant extends Choice {
  /** Its name in reports. */
  String label();
}
