package io.weir.bench.service.load;

import java.nio.ByteBuffer;
import java.util.List;

/** Draws what to ask, and counts the answers. */
final class Tally {
  private final Question question;
  private long random = 0x9E3779B97F4A7C15L;
  private long good;
  private long bad;
  private String firstBad = "";

  Tally(Question question) {
    this.question = question;
  }

  byte[] nextBody() {
    List<byte[]> bodies = question.bodies();
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return bodies.get((int) ((random >>> 33) % bodies.size()));
  }

  /** Whether an answer's body is as it should be; the first that is not is remembered. */
  boolean isExpected(ByteBuffer buffer, int offset, int length) {
    boolean is = question.expected().isAt(buffer, offset, length);
    if (!is && firstBad.isEmpty()) {
      firstBad = Expected.shown(buffer, offset, length);
    }
    return is;
  }

  void count(boolean isGood) {
    if (isGood) {
      good++;
    } else {
      bad++;
    }
  }

  void countBad(String how) {
    bad++;
    if (firstBad.isEmpty()) {
      firstBad = how;
    }
  }

  void reset() {
    good = 0;
    bad = 0;
  }

  long good() {
    return good;
  }

  long bad() {
    return bad;
  }

  /** How the first bad answer looked; empty without. */
  String firstBad() {
    return firstBad;
  }
}
