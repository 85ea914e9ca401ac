package io.weir.server.seeing;

/** Somebody who is recorded: as one of the heaviest, as one of a sample, or as both. */
final class Caller {
  final String key;
  final long hash;
  final Recording recording;
  boolean isHeavy;
  boolean isSampled;

  Caller(String key, long hash, long nowMillis) {
    this.key = key;
    this.hash = hash;
    this.recording = new Recording(nowMillis);
  }
}
