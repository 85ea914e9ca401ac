package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvTraceTest {
  @Test
  void readsRowsByTheNamesOfTheHeader() {
    Trace trace = Traces.of("time, user ,cost,path\n1000,ann,3,/a\n2000,,,/b\n");
    assertThat(trace.format()).isEqualTo(Trace.Format.CSV);
    assertThat(trace.attributes()).containsExactly("user", "path");
    List<TraceRequest> all = Traces.all(trace);
    assertThat(all).hasSize(2);
    assertThat(all.get(0).attributes()).isEqualTo(Map.of("user", "ann", "path", "/a"));
    assertThat(all.get(0).epochMillis()).isEqualTo(1000);
    assertThat(all.get(0).cost()).isEqualTo(3);
    assertThat(all.get(0).line()).isEqualTo(2);
    assertThat(all.get(1).attribute("user")).isNull();
    assertThat(all.get(1).attribute("nobody")).isNull();
    assertThat(all.get(1).cost()).isEqualTo(1);
    assertThat(trace.badLines().count()).isZero();
  }

  @Test
  void readsQuotedCells() {
    Trace trace =
        Traces.of(
            "time,user,path\r\n"
                + "1,\"a,b\",/1\r\n"
                + "2,\"say \"\"hi\"\"\",/2\r\n"
                + "3,\"two\nlines\",/3\r\n"
                + "\"4\",\"\",\"/4\"\r\n"
                + "5,a\"b,/5\r\n"
                + "6,\"\"\"\",\"/6\"");
    List<TraceRequest> all = Traces.all(trace);
    assertThat(all)
        .extracting(each -> each.attribute("user"))
        .containsExactly("a,b", "say \"hi\"", "two\nlines", null, "a\"b", "\"");
    assertThat(all)
        .extracting(each -> each.attribute("path"))
        .containsExactly("/1", "/2", "/3", "/4", "/5", "/6");
    assertThat(all).extracting(TraceRequest::line).containsExactly(2L, 3L, 4L, 6L, 7L, 8L);
    assertThat(trace.badLines().count()).isZero();
  }

  @Test
  void readsAMarkOfBytesAndEmptyLinesAndOtherAlphabets() {
    Trace trace = Traces.of("\uFEFF\n\ntime,user\n\n1,жук\n\r\n2,虎\n\n");
    List<TraceRequest> all = Traces.all(trace);
    assertThat(all).extracting(each -> each.attribute("user")).containsExactly("жук", "虎");
    assertThat(all).extracting(TraceRequest::line).containsExactly(5L, 7L);
    assertThat(trace.badLines().count()).isZero();
  }

  @Test
  void replacesWhatIsNoUtf8() {
    byte[] bytes = {'t', 'i', 'm', 'e', ',', 'u', '\n', '1', ',', 'a', (byte) 0xFF, 'b'};
    assertThat(Traces.all(Traces.of(bytes)))
        .extracting(each -> each.attribute("u"))
        .containsExactly("a\uFFFDb");
  }

  @Test
  void readsAHeaderAlone() {
    assertThat(Traces.all(Traces.of("time"))).isEmpty();
    assertThat(Traces.all(Traces.of("time,user\n"))).isEmpty();
    assertThat(Traces.all(Traces.of("time\n1\n\n2"))).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "1,ann          | has 2 cells, but the header line has 3",
        "1              | has 1 cell, but the header line has 3",
        "1,ann,1,more   | has 4 cells, but the header line has 3",
        ",ann,1         | no time",
        "x,ann,1        | time 'x' is neither milliseconds since the epoch nor ISO 8601",
        "3000-05-04T12:00:00Z,ann,1 | is not between 1961 and 2099",
        "1,ann,-1       | cost '-1' is not a whole number from 0 up",
        "1,ann,1.5      | cost '1.5' is not a whole number",
        "1,ann,9999999999999999999 | cost '9999999999999999999' is not a whole number",
        "1,\"ann,1      | a quote is not closed",
        "1,\"ann\"x,1   | a quote is not closed, or not followed by a comma",
      })
  void leavesOutWhatIsNoRequest(String row, String reason) {
    Trace trace = Traces.of("time,user,cost\n1,before,1\n" + row.strip() + "\n2,after,1\n");
    assertThat(Traces.all(trace))
        .extracting(each -> each.attribute("user"))
        .containsExactly("before", "after");
    assertThat(trace.badLines().count()).isEqualTo(1);
    assertThat(trace.badLines().first().get(0).line()).isEqualTo(3);
    assertThat(trace.badLines().first().get(0).reason()).contains(reason);
  }

  @Test
  void givesUpOnlyTheLineOfAQuoteThatIsNeverClosed() {
    StringBuilder text = new StringBuilder("time,user\n1,\"open\n");
    for (int i = 0; i < 300_000; i++) {
      text.append(i).append(",user").append(i).append('\n');
    }
    Trace trace = Traces.of(text.toString());
    assertThat(Traces.all(trace)).hasSize(300_000);
    assertThat(trace.badLines().count()).isEqualTo(1);
    assertThat(trace.badLines().first().get(0).line()).isEqualTo(2);
  }

  @Test
  void namesTheFirstErrorsAndCountsAll() {
    Trace trace = Traces.of("time,user\n" + "x,y\n".repeat(1000));
    assertThat(Traces.all(trace)).isEmpty();
    assertThat(trace.badLines().count()).isEqualTo(1000);
    assertThat(trace.badLines().first()).hasSize(BadLines.NAMED);
    assertThat(trace.badLines().first().get(0))
        .hasToString(
            "line 2: time 'x' is neither milliseconds since the epoch nor ISO 8601, such"
                + " as 2026-05-04T12:00:00Z");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user,path      | trace:1: the header line names no column 'time', but user, path",
        "time,user,user | trace:1: the header line names column 'user' twice",
        "time;user      | (columns are separated by commas)",
        "hello          | the first line is: hello",
        "{\"time\":1}   | neither a CSV file with a header line",
      })
  void saysWhatIsNoTrace(String header, String message) {
    assertThatThrownBy(() -> Traces.of(header + "\n1,2\n"))
        .isInstanceOf(InvalidTraceException.class)
        .hasMessageContaining(message);
  }

  @Test
  void readsTenThousandColumnsInLittleMemory() {
    String header = "time" + columns(9_999);
    String text = header + ("\n1" + ",".repeat(9_999)).repeat(100);
    assertThat(Traces.all(Traces.of(text))).hasSize(100); // what is done once is done

    long before = THREADS.getCurrentThreadAllocatedBytes();
    Trace trace = Traces.of(text);
    assertThat(trace.next()).isNotNull();
    assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000_000);
  }

  @Test
  void refusesTooManyColumns() {
    assertThatThrownBy(() -> Traces.of("time" + columns(10_000) + "\n1"))
        .isInstanceOf(InvalidTraceException.class)
        .hasMessage(
            "trace:1: the header line names 10001 columns; 10000 are the most that a trace may"
                + " have");
    assertThatThrownBy(() -> Traces.of("time," + "x".repeat(200_000) + "\n1,2"))
        .isInstanceOf(InvalidTraceException.class)
        .hasMessage("trace:1: the first line is longer than 131072 bytes");
  }

  private static String columns(int count) {
    return IntStream.range(0, count).mapToObj(i -> ",c" + i).collect(Collectors.joining());
  }

  @Test
  void looksAtEachNameOfAHeaderAFewTimes() {
    AtomicInteger looks = new AtomicInteger();
    List<String> names =
        new AbstractList<>() {
          @Override
          public String get(int index) {
            looks.incrementAndGet();
            return index == 0 ? "time" : "c" + index;
          }

          @Override
          public int size() {
            return 5000;
          }
        };

    assertThat(CsvLayout.of(names).attributes()).hasSize(4999);
    assertThat(looks.get()).isLessThan(10 * 5000);
  }

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
}
