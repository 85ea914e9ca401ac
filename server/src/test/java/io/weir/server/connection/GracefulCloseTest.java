package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A closing connection delivers its last response completely; other connections are kept. */
@Tag("slow")
class GracefulCloseTest extends ConnectionFixture {
  private static final String EXPECTING =
      " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";

  /** Input after the refused request must not make the kernel reset the connection. */
  @ParameterizedTest
  @CsvSource({
    "400, GET / HTTP/1.1||X: y",
    "414, GET /LONG HTTP/1.1||Host: a",
    "431, GET / HTTP/1.1||Host: a||X: LONG",
    "505, GET / HTTP/3.1||Host: a"
  })
  void refusedClientReceivesTheReason(String status, String head) throws Exception {
    Socket client = connect(listen());
    String request = head.replace("||", "\r\n").replace("LONG", "x".repeat(20_000)) + "\r\n\r\n";
    write(client, request + "x".repeat(2_000_000));
    String response = new String(client.getInputStream().readAllBytes(), US_ASCII);
    assertThat(response).startsWith("HTTP/1.1 " + status).contains("Connection: close");
    client.close();
    Await.holds("no connection is open", () -> connectionLimiter.inside() == 0);
  }

  /** The withheld body could not be distinguished from another request. */
  @ParameterizedTest
  @CsvSource({"/, false", "/slow, false", "/, true"})
  void closesConnectionRefusedInsteadOfContinue(String path, boolean isSecond) throws Exception {
    Socket client = connect(listen());
    if (isSecond) {
      write(client, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    write(client, "POST " + path + EXPECTING);
    if (isSecond || path.equals("/slow")) {
      Await.holds("it is there", () -> slow.size() == 1);
      respond(slow.get(0));
    }
    if (isSecond) {
      assertThat(read(client, "at last")).doesNotContainIgnoringCase("connection:");
    }
    assertThat(new String(client.getInputStream().readAllBytes(), US_ASCII))
        .startsWith("HTTP/1.1 200 ")
        .contains("\r\nConnection: close\r\n");
  }

  /** The time to close starts when the client has the response. */
  @Test
  void slowReaderReceivesWholeLastResponse() throws Exception {
    Socket client = connect(listen());
    write(client, "POST /much" + EXPECTING);
    assertThat(read(client, "\r\n\r\n")).contains("\r\nConnection: close\r\n");
    Thread.sleep(Duration.ofSeconds(5).toMillis());
    assertThat(client.getInputStream().readAllBytes()).hasSize(MUCH);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keepsConnectionIfTheBodyWasReceived(boolean isContinued) throws Exception {
    Socket client = connect(listen());
    write(client, "POST /body" + (isContinued ? "/wanted" : "") + EXPECTING);
    if (isContinued) {
      assertThat(read(client, "\r\n\r\n")).startsWith("HTTP/1.1 100 ");
    }
    write(client, "ab");
    assertThat(read(client, "ab"))
        .startsWith("HTTP/1.1 200 ")
        .doesNotContainIgnoringCase("connection:");
    write(client, GET);
    assertThat(read(client, "hi")).startsWith("HTTP/1.1 200 ");
  }

  /** Its body is on the way and is drained; then the next request follows. */
  @Test
  void keepsConnectionAfterContinueWhateverTheResponse() throws Exception {
    Socket client = connect(listen());
    write(client, "POST /wanted" + EXPECTING);
    assertThat(read(client, "hi"))
        .startsWith("HTTP/1.1 100 ")
        .doesNotContainIgnoringCase("connection:");
    write(client, "ab" + GET);
    assertThat(read(client, "hi")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void closesRefusedConnectionThatStays() throws Exception {
    Socket client = connect(listen());
    write(client, "GET / HTTP/1.1\r\n\r\n");
    assertThat(trickle(client, "x")).startsWith("HTTP/1.1 400 ");
    Await.holds("no connection is open", () -> connectionLimiter.inside() == 0);
  }
}
