package io.weir.seeing;

/** Somebody who is recorded: as one of the heaviest, as one of a sample, or as both. */
final class Caller {
  final Part part;
  final String key;
  final long hash;
  final Recording recording;
  long lastMillis;
  boolean isHeavy;
  boolean isSampled;

  /**
   * Since when it is one of the heaviest; from the first if it was when it was seen first. What it
   * asked for before is not known of others who are as heavy, so that it stands for them till then,
   * if it is in the sample.
   */
  long heavySinceMillis = Long.MAX_VALUE;

  Caller(Part part, String key, long hash, long nowMillis) {
    this.part = part;
    this.key = key;
    this.hash = hash;
    this.recording = new Recording(nowMillis);
  }
}
