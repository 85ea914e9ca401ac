package io.weir.rules.replay;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/** Traces out of text. */
final class Traces {
  private Traces() {}

  static Trace of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  static Trace of(byte[] bytes) {
    try {
      return Trace.open("trace", new ByteArrayInputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<TraceRequest> all(Trace trace) {
    List<TraceRequest> all = new ArrayList<>();
    for (TraceRequest next = trace.next(); next != null; next = trace.next()) {
      all.add(next);
    }
    return all;
  }

  static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  static byte[] gzip(String text) {
    return gzip(text.getBytes(StandardCharsets.UTF_8));
  }
}
