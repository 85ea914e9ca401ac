package io.weir.insight;

/** A recorded caller: one of the heaviest, one of the sample, or both. */
final class RecordedCaller {
  final RulePart rulePart;
  final String key;
  final long hash;
  final DemandRecording demandRecording;
  long lastMillis;
  boolean isHeavy;
  boolean isSampled;

  /**
   * When the caller became one of the heaviest; earlier than everything if it was one when first
   * seen. Other equally heavy callers have no recording of the time before. So until then this
   * caller represents them, if it is in the sample.
   */
  long heavySinceMillis = Long.MAX_VALUE;

  RecordedCaller(RulePart rulePart, String key, long hash, long nowMillis) {
    this.rulePart = rulePart;
    this.key = key;
    this.hash = hash;
    this.demandRecording = new DemandRecording(nowMillis);
  }
}
