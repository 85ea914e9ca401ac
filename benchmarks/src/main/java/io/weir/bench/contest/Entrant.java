package io.weir.bench.contest;

/** Who can take part. */
public interface Entrant {
  /** Its name in reports. */
  String label();
}
