package io.weir.server.rls;

import static io.weir.server.rls.RawGrpc.METHOD;
import static io.weir.server.rls.RawGrpc.message;
import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.reflection.v1.ServerReflectionRequest;
import io.weir.server.http.RawHttp2;
import io.weir.server.rls.proto.service.RateLimitResponse.Code;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** After any hostile call, the next valid call gets its response. */
class HostileCallsTest {
  private static final byte[] HONEST = request("d", descriptor("k", "v")).build().toByteArray();
  private static final int MAX_MESSAGE_BYTES = 64 * 1024;

  private static Rls rls;

  @BeforeAll
  static void start() {
    rls =
        Rls.of(
            "domain: d\ndescriptors:\n"
                + "  - key: k\n    rate_limit: { unit: year, requests_per_unit: 1000000 }\n",
            "rules: [ { name: " + "each".repeat(15) + ", limit: 1000000000 per hour } ]");
  }

  @AfterAll
  static void stop() {
    rls.close();
  }

  @AfterEach
  void servesNextValidCall() {
    assertThat(rls.call("d", descriptor("k", "honest")).getOverallCode()).isEqualTo(Code.OK);
  }

  private static RawGrpc connect() throws IOException {
    return new RawGrpc(rls.server.servicePort());
  }

  private static String outcome(byte[] body, String... headers) throws IOException {
    try (RawGrpc raw = connect()) {
      int id = raw.begin(METHOD, headers);
      raw.data(id, true, body);
      return raw.outcome(id);
    }
  }

  private static byte[] framed(byte[] payload) {
    return message(0, payload.length, payload);
  }

  @Test
  void handWrittenCallGetsResponse() throws IOException {
    assertThat(outcome(framed(HONEST))).isEqualTo("0");
  }

  @ParameterizedTest(name = "{0}: flag {1}, length {2}, {3} bytes: status {4}")
  @CsvSource({
    "a flag that is none,                2,          10, 10,     13",
    "a negative flag,                   255,         10, 10,     13",
    "compressed by nobody knows what,    1,          10, 10,     13",
    "a length beyond the end,            0,          11, 10,     13",
    "a length far beyond the end,        0,  4294967295, 10,      8",
    "a length just too long,             0,       65537, 10,      8",
    "the longest message,                0,       65536, 65536,   3", // zeros: no field has number
    // 0
    "an empty message,                   0,           0,  0,      3",
    "bytes after the message,            0,           5,  9,     13",
    "zeros,                              0,          10, 10,      3",
  })
  void badFrames(String what, int flag, long length, int bytes, String status) throws IOException {
    assertThat(outcome(message(flag, length, new byte[bytes]))).as(what).isEqualTo(status);
  }

  @Test
  void severalMessagesOrNoneAreRefused() throws IOException {
    byte[] one = framed(HONEST);
    byte[] two = Arrays.copyOf(one, 2 * one.length);
    System.arraycopy(one, 0, two, one.length, one.length);
    assertThat(outcome(two)).isEqualTo("12");
    assertThat(outcome(new byte[0])).isEqualTo("12");
    assertThat(outcome(new byte[3])).isEqualTo("13");
  }

  @Test
  void aMessageMayComeByteByByte() throws IOException {
    try (RawGrpc raw = connect()) {
      int id = raw.begin(METHOD);
      for (byte b : framed(HONEST)) {
        raw.data(id, false, new byte[] {b});
      }
      raw.data(id, true, new byte[0]);
      assertThat(raw.outcome(id)).isEqualTo("0");
    }
  }

  @Test
  @DisplayName("sends the status although earlier responses are still buffered")
  void refusedAfterAResponse() throws IOException {
    byte[] list = ServerReflectionRequest.newBuilder().setListServices("").build().toByteArray();
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(framed(list));
    both.writeBytes(message(2, 0, new byte[0]));
    try (RawGrpc raw = connect()) {
      int id = raw.begin("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
      raw.data(id, false, both.toByteArray());
      assertThat(raw.outcome(id)).isEqualTo("13");
      assertThat(raw.outcome(id)).isEqualTo("reset");
    }
  }

  @Test
  @DisplayName("a call that is refused early ends at once, and its connection goes on")
  void refusedBeforeItsEnd() throws IOException {
    try (RawGrpc raw = connect()) {
      int id = raw.begin(METHOD);
      raw.data(id, false, message(0, 1L << 31, new byte[100]));
      assertThat(raw.outcome(id)).isEqualTo("8");
      assertThat(raw.outcome(id)).isEqualTo("reset");
      int next = raw.begin(METHOD);
      raw.data(next, true, framed(HONEST));
      assertThat(raw.outcome(next)).isEqualTo("0");
    }
  }

  @Test
  void gzipIsUnderstoodAndBombsAreNot() throws IOException {
    assertThat(outcome(zipped(HONEST), "grpc-encoding", "gzip")).isEqualTo("0");
    assertThat(outcome(framed(HONEST), "grpc-encoding", "gzip")).isEqualTo("0");
    byte[] bomb = zipped(new byte[40 << 20]);
    assertThat(bomb).hasSizeLessThan(MAX_MESSAGE_BYTES);
    assertThat(outcome(bomb, "grpc-encoding", "gzip")).isEqualTo("8");
    byte[] broken = zipped(HONEST);
    broken[5] ^= 1;
    assertThat(outcome(broken, "grpc-encoding", "gzip")).isEqualTo("13");
    byte[] cut = zipped(HONEST);
    assertThat(
            outcome(
                message(1, cut.length - 9, Arrays.copyOfRange(cut, 5, cut.length - 4)),
                "grpc-encoding",
                "gzip"))
        .isEqualTo("13");
    assertThat(outcome(framed(HONEST), "grpc-encoding", "snappy")).isEqualTo("12");
  }

  private static byte[] zipped(byte[] payload) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(payload);
    }
    return message(1, out.size(), out.toByteArray());
  }

  @ParameterizedTest
  @CsvSource({
    "content-type, application/grpc+json,  :415",
    "content-type, application/grpc-web,   :415",
    "content-type, application/grpcx,      :415",
    "content-type, application/json,       :404",
    "content-type, text/plain,             :404",
    "content-type, application/grpc+proto, 0",
    "content-type, application/grpc;v=1,   0",
    ":method,      GET,                    :405",
    "grpc-timeout, 0,                      3",
    "grpc-timeout, 1x,                     3",
    "grpc-timeout, -1S,                    3",
    "grpc-timeout, 123456789S,             3",
    "grpc-timeout, 0n,                     4",
    "grpc-timeout, 1n,                     4",
    "grpc-timeout, 99999999H,              0",
    "grpc-timeout, 20S,                    0",
  })
  void oddHeaders(String name, String value, String expected) throws IOException {
    assertThat(outcome(framed(HONEST), name, value)).isEqualTo(expected);
  }

  @Test
  void unknownMethodsAreUnimplemented() throws IOException {
    for (String path : List.of("/", "/x", METHOD + "x", "/grpc.health.v1.Health/Nothing")) {
      try (RawGrpc raw = connect()) {
        int id = raw.begin(path);
        raw.data(id, true, framed(HONEST));
        assertThat(raw.outcome(id)).as(path).isEqualTo("12");
      }
    }
  }

  @Test
  void callsThatAreCancelledSpendNothing() throws IOException {
    byte[] body = framed(request("d", descriptor("k", "cancelled")).build().toByteArray());
    try (RawGrpc raw = connect()) {
      for (int i = 0; i < 500; i++) {
        int id = raw.begin(METHOD);
        raw.data(id, false, body); // not ended: the message is incomplete
        raw.reset(id);
      }
      int id = raw.begin(METHOD);
      raw.data(id, true, body);
      assertThat(raw.outcome(id)).isEqualTo("0");
    }
    assertThat(Rls.summary(rls.call("d", descriptor("k", "cancelled"))))
        .containsExactly("OK 999998");
  }

  @Test
  @DisplayName("bounds unread responses and releases them with the connection")
  void boundsUnreadResponses() throws IOException {
    String list = "[" + "{\"attributes\":{}},".repeat(999) + "{\"attributes\":{}}]";
    try (RawHttp2 raw = new RawHttp2(rls.server.servicePort(), 4, 0)) { // no window
      int last = 0;
      for (int i = 0; i < 450; i++) { // of 200 KB each
        last =
            raw.open(
                false,
                ":method",
                "POST",
                ":scheme",
                "http",
                ":authority",
                "a",
                ":path",
                "/v1/check");
        raw.data(last, false, list.substring(0, 10_000));
        raw.data(last, true, list.substring(10_000));
      }
      assertThat(raw.outcome(last)).isEqualTo("200");
      assertThat(raw.outcome(last)).as("not kept").isEqualTo("reset");
    }
  }

  @Test
  @DisplayName("rapid reset: tolerates some thousands, then ends the connection")
  void rapidReset() throws IOException {
    try (RawGrpc raw = connect()) {
      for (int i = 0; i < 12_000; i++) {
        raw.reset(raw.begin(METHOD));
      }
      assertThat(raw.outcome(0)).isIn("goaway", "closed");
    }
  }

  @Test
  @DisplayName("releases half messages of a thousand calls")
  void releasesIncompleteMessages() throws IOException {
    byte[] half = message(0, MAX_MESSAGE_BYTES, new byte[MAX_MESSAGE_BYTES - 1]);
    try (RawGrpc raw = connect()) {
      int last = 0;
      for (int i = 0; i < 900; i++) {
        last = raw.begin(METHOD);
        raw.data(last, false, half);
      }
      raw.data(last, true, new byte[1]);
      assertThat(raw.outcome(last))
          .isEqualTo("3"); // fits; see UnfinishedCallsTest for what does not
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0000050400000000000000000000, a settings frame of no sense",
    "FFFFFF00000000000100, a frame of 16 MB",
    "0000050000000000010000000000, data of no stream",
    "000004080000000000 00000000, a window update of nothing",
    "00000401050000000182868441, headers that end too early",
    "000005010500000001FFFFFFFFFF, headers that mean nothing",
    "000000090400000001, a continuation of nothing",
    "0000080600000000010000000000000000, a ping on a stream",
    "474554202F20485454, the beginning of HTTP/1",
  })
  void malformedFrames(String hex, String what) throws IOException {
    String digits = hex.replace(" ", "");
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    try (RawGrpc raw = connect()) {
      raw.write(bytes);
      assertThat(raw.outcome(0)).as(what).isIn("goaway", "closed");
    }
  }

  @Test
  void noiseInsteadOfHttp() throws IOException {
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      byte[] noise = new byte[random.nextInt(2000) + 1];
      random.nextBytes(noise);
      try (Socket socket = new Socket("127.0.0.1", rls.server.servicePort())) {
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(noise);
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        in.readAllBytes();
      } catch (IOException reset) {
        // The server may also reset the stream.
      }
    }
  }
}
