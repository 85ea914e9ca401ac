package io.weir.seeing;

/** A recorded caller: one of the heaviest, one of the sample, or both. */
final class Caller {
  final Part part;
  final String key;
  final long hash;
  final Recording recording;
  long lastMillis;
  boolean isHeavy;
  boolean isSampled;

  /**
   * When the caller became one of the heaviest; earlier than everything if it was one when first
   * seen. Other equally heavy callers have no recording of the time before. So until then this
   * caller represents them, if it is in the sample.
   */
  long heavySinceMillis = Long.MAX_VALUE;

  Caller(Part part, String key, long hash, long nowMillis) {
    this.part = part;
    this.key = key;
    this.hash = hash;
    this.recording = new Recording(nowMillis);
  }
}
