package io.weir.bench.load;

import java.nio.ByteBuffer;
import java.util.List;

/** Chooses requests, and counts the responses. */
final class ResponseCounter {
  private final RequestTemplate requestTemplate;
  private long random = 0x9E3779B97F4A7C15L;
  private long good;
  private long tolerated;
  private long bad;
  private String firstBad = "";

  ResponseCounter(RequestTemplate requestTemplate) {
    this.requestTemplate = requestTemplate;
  }

  byte[] nextRequest() {
    List<byte[]> requests = requestTemplate.requests();
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return requests.get((int) ((random >>> 33) % requests.size()));
  }

  /** Whether a response's body is as expected; remembers the first that is not. */
  boolean isExpected(ByteBuffer buffer, int offset, int length) {
    boolean is = requestTemplate.expectedResponse().isBodyAt(buffer, offset, length);
    if (!is && firstBad.isEmpty()) {
      firstBad = ExpectedResponse.shown(buffer, offset, length);
    }
    return is;
  }

  void countGood() {
    good++;
  }

  /** Counts a response as good but unusual. */
  void countTolerated() {
    good++;
    tolerated++;
  }

  void countBad(String how) {
    bad++;
    if (firstBad.isEmpty()) {
      firstBad = how;
    }
  }

  void reset() {
    good = 0;
    tolerated = 0;
    bad = 0;
  }

  /** The result as words for another JVM. */
  Object[] words(String subject, long nanos, Object... more) {
    Object[] words = new Object[6 + more.length];
    words[0] = subject;
    words[1] = good;
    words[2] = tolerated;
    words[3] = bad;
    words[4] = nanos;
    words[5] = firstBad.replace('\t', ' ');
    System.arraycopy(more, 0, words, 6, more.length);
    return words;
  }
}
