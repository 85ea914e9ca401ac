package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
  @TempDir Path directory;

  @Test
  void opensFiles() throws IOException {
    Path file = Files.writeString(directory.resolve("t.csv"), "time,user\n1,a\n");
    try (Trace trace = Trace.open(file)) {
      assertThat(trace.name()).isEqualTo(file.toString());
      assertThat(trace.size()).hasValue(14);
      assertThat(Traces.all(trace)).hasSize(1);
      assertThat(trace.bytesRead()).isEqualTo(14);
      assertThat(trace.cut()).isEmpty();
    }
    assertThatThrownBy(() -> Trace.open(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> Trace.open(directory)).isInstanceOf(IOException.class);
  }

  @Test
  void unpacksGzipOfSeveralMembers() {
    byte[] first = Traces.gzip("time,user\n1,a\n");
    byte[] second = Traces.gzip("2,b\n3,c\n");
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    Trace trace = Traces.of(both);
    assertThat(Traces.all(trace)).hasSize(3);
    assertThat(trace.cut()).isEmpty();
    assertThat(trace.bytesRead()).isEqualTo(both.length);
  }

  @Test
  void keepsWhatWasReadOfACutFile() {
    StringBuilder text = new StringBuilder("time,user\n");
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      text.append(i).append(',').append(random.nextInt()).append('\n');
    }
    byte[] packed = Traces.gzip(text.toString());
    Trace trace = Traces.of(Arrays.copyOf(packed, packed.length / 2));
    assertThat(Traces.all(trace)).hasSizeBetween(30_000, 70_000);
    assertThat(trace.cut()).hasValueSatisfying(cut -> assertThat(cut).contains("cut off"));

    byte[] damaged = packed.clone();
    Arrays.fill(damaged, packed.length / 2, packed.length / 2 + 20, (byte) 0x55);
    Trace bad = Traces.of(damaged);
    assertThat(Traces.all(bad)).isNotEmpty();
    assertThat(bad.cut()).hasValueSatisfying(cut -> assertThat(cut).contains("damaged"));
  }

  @Test
  void keepsWhatWasReadBeforeADiskFailed() throws IOException {
    InputStream failing =
        new InputStream() {
          private final InputStream good =
              new ByteArrayInputStream("time,user\n1,a\n".getBytes(StandardCharsets.UTF_8));

          @Override
          public int read() throws IOException {
            int next = good.read();
            if (next < 0) {
              throw new IOException("no more");
            }
            return next;
          }
        };
    try (Trace trace = Trace.open("t", failing)) {
      assertThat(Traces.all(trace)).hasSize(1);
      assertThat(trace.cut()).hasValue("could not be read to its end (no more)");
    }
  }

  @Test
  void saysWhatItCannotRead() {
    assertThatThrownBy(() -> Traces.of("")).hasMessage("trace: is empty");
    assertThatThrownBy(() -> Traces.of("\n\n\n")).hasMessage("trace: is empty");
    assertThatThrownBy(() -> Traces.of(new byte[] {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 1}))
        .hasMessageContaining("compressed by zstd");
    assertThatThrownBy(() -> Traces.of("PK\3\4xx")).hasMessageContaining("compressed by zip");
    assertThatThrownBy(() -> Traces.of("t".getBytes(StandardCharsets.UTF_16)))
        .hasMessageContaining("UTF-16");
    assertThatThrownBy(() -> Traces.of(Arrays.copyOf(Traces.gzip("time\n1"), 5)))
        .hasMessageContaining("cut off");
    assertThatThrownBy(() -> Traces.of(new byte[1000]))
        .isInstanceOf(InvalidTraceException.class)
        .hasMessageContaining("\\u0000")
        .message()
        .hasSizeLessThan(500);
  }

  @Test
  void leavesOutLinesOfMegabytes() {
    String longest = "x".repeat(3_000_000);
    Trace trace =
        Traces.of(
            "time,user\n1,a\n2,"
                + longest
                + "\n3,c\n4,\""
                + longest
                + "\"\n5,e\n6,"
                + "y".repeat(Trace.MAX_LINE_BYTES - 2)
                + "\n7,"
                + "z".repeat(Trace.MAX_LINE_BYTES - 1));
    List<TraceRequest> all = Traces.all(trace);
    assertThat(all).extracting(TraceRequest::line).containsExactly(2L, 4L, 6L, 7L);
    assertThat(trace.badLines().first()).extracting(BadLine::line).containsExactly(3L, 5L, 8L);
  }

  @Test
  void findsRowsWhereverBlocksAreCut() {
    Random random = new Random(7);
    StringBuilder text = new StringBuilder("time,user,path\n");
    int rows = 60_000;
    for (int i = 0; i < rows; i++) {
      String path = "/" + "p".repeat(random.nextInt(30));
      boolean quote = random.nextBoolean();
      text.append(i).append(quote ? ",\"u\"\"\n" : ",\"u").append(i).append("\",").append(path);
      text.append(random.nextBoolean() ? "\r\n" : "\n");
    }
    Trace trace = Traces.of(text.toString());
    int expected = 0;
    long line = 2;
    for (TraceRequest request : Traces.all(trace)) {
      assertThat(request.epochMillis()).isEqualTo(expected);
      assertThat(request.attribute("user")).endsWith("" + expected);
      assertThat(request.line()).isEqualTo(line);
      line += request.attribute("user").contains("\n") ? 2 : 1;
      expected++;
    }
    assertThat(expected).isEqualTo(rows);
    assertThat(trace.badLines().count()).isZero();
  }
}
