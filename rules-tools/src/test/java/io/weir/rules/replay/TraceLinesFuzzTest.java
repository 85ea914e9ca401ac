package io.weir.rules.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** CSV and access logs: a line is a request or a fault, and whatever it is, it is no exception. */
class TraceLinesFuzzTest implements FuzzTarget {
  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "time,user,path,cost,ip\r\n1000,ann,/a/b,2,10.0.0.1\n",
            "time,user\n2026-05-04T12:00:00.5+02:00,\"b,\"\"o\nb\"\n2026-05-04T12:00Z,x",
            "192.0.2.1 - ann [10/Oct/2000:13:55:36 -0700] \"GET /a?k=c HTTP/1.0\" 200 2326\n",
            "h.example:80 2001:db8::1 - - [10/Oct/2000:13:55:37 +0000] \"POST http://h/x HTTP/1.1\""
                + " 404 - \"http://ref/\" \"a \\\"b\\\" \\x41\\\\\" 0.1 \"-\"\r\n",
            "")
        .map(text -> text.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of("time,", "\"\"", "\\x", "2026-05-04T12:00:00Z", "[10/Oct/2000:13:55:36 -0700]");
  }

  @Override
  public void run(byte[] input) {
    try {
      for (TraceRequest request : Traces.all(Traces.of(input))) {
        assertThat(request.attributes()).doesNotContainValue("");
      }
    } catch (InvalidTraceException e) {
      assertThat(e.getMessage()).startsWith("trace:").hasSizeLessThan(500);
    }
  }
}
